-- Modify "test_questions" table
ALTER TABLE "test_questions" ADD COLUMN "reference" text NOT NULL DEFAULT '', ADD COLUMN "document" character varying NOT NULL DEFAULT '', ADD COLUMN "updated_at" timestamptz NULL;
-- Modify "test_results" table
ALTER TABLE "test_results" ADD COLUMN "failure" text NOT NULL DEFAULT '', ADD COLUMN "f1" double precision NULL, ADD COLUMN "cites" boolean NULL, ADD COLUMN "prompt_tokens" bigint NOT NULL DEFAULT 0, ADD COLUMN "completion_tokens" bigint NOT NULL DEFAULT 0, ADD COLUMN "estimated" boolean NOT NULL DEFAULT false, ADD COLUMN "total_ms" bigint NOT NULL DEFAULT 0;
-- Modify "test_runs" table
ALTER TABLE "test_runs" ADD COLUMN "started_by" character varying NOT NULL DEFAULT '', ADD COLUMN "knowledge" text NOT NULL DEFAULT '', ADD COLUMN "documents" bigint NOT NULL DEFAULT 0, ADD COLUMN "settings" text NOT NULL DEFAULT '', ADD COLUMN "figures" text NOT NULL DEFAULT '';
