-- Modify "test_questions" table
ALTER TABLE "test_questions" ADD COLUMN "removed_at" timestamptz NULL;
-- Create index "test_question_removed" to table: "test_questions"
CREATE INDEX "test_question_removed" ON "test_questions" ("removed_at") WHERE (removed_at IS NOT NULL);
-- Modify "test_results" table
ALTER TABLE "test_results" ADD COLUMN "model" character varying NOT NULL DEFAULT '';
-- Modify "test_runs" table
ALTER TABLE "test_runs" ADD COLUMN "program" character varying NOT NULL DEFAULT '';
