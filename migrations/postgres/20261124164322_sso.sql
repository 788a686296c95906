-- Modify "sessions" table
ALTER TABLE "sessions" ADD COLUMN "sso_workspace_id" character varying NOT NULL DEFAULT '';
-- Plans with API access include single sign-on
UPDATE "plans" SET "features" = "features" || '["sso"]'::jsonb WHERE "features" @> '["api"]'::jsonb AND NOT "features" @> '["sso"]'::jsonb;
