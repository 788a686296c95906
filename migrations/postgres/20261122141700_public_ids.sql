-- Modify "chatbots" table
ALTER TABLE "chatbots" ADD COLUMN "separate_end_users" boolean NOT NULL DEFAULT false;
-- Create "installation_keys" table
CREATE TABLE "installation_keys" ("id" character varying NOT NULL, "key" bytea NOT NULL, "created_at" timestamptz NOT NULL, PRIMARY KEY ("id"));
