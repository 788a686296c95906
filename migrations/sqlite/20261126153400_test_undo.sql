-- Add column "removed_at" to table: "test_questions"
ALTER TABLE `test_questions` ADD COLUMN `removed_at` datetime NULL;
-- Create index "test_question_removed" to table: "test_questions"
CREATE INDEX `test_question_removed` ON `test_questions` (`removed_at`) WHERE removed_at IS NOT NULL;
-- Add column "model" to table: "test_results"
ALTER TABLE `test_results` ADD COLUMN `model` text NOT NULL DEFAULT ('');
-- Add column "program" to table: "test_runs"
ALTER TABLE `test_runs` ADD COLUMN `program` text NOT NULL DEFAULT ('');
