-- Add columns to "test_questions" table
ALTER TABLE `test_questions` ADD COLUMN `reference` text NOT NULL DEFAULT ('');
ALTER TABLE `test_questions` ADD COLUMN `document` text NOT NULL DEFAULT ('');
ALTER TABLE `test_questions` ADD COLUMN `updated_at` datetime NULL;
-- Add columns to "test_results" table
ALTER TABLE `test_results` ADD COLUMN `failure` text NOT NULL DEFAULT ('');
ALTER TABLE `test_results` ADD COLUMN `f1` real NULL;
ALTER TABLE `test_results` ADD COLUMN `cites` bool NULL;
ALTER TABLE `test_results` ADD COLUMN `prompt_tokens` integer NOT NULL DEFAULT (0);
ALTER TABLE `test_results` ADD COLUMN `completion_tokens` integer NOT NULL DEFAULT (0);
ALTER TABLE `test_results` ADD COLUMN `estimated` bool NOT NULL DEFAULT (false);
ALTER TABLE `test_results` ADD COLUMN `total_ms` integer NOT NULL DEFAULT (0);
-- Add columns to "test_runs" table
ALTER TABLE `test_runs` ADD COLUMN `started_by` text NOT NULL DEFAULT ('');
ALTER TABLE `test_runs` ADD COLUMN `knowledge` text NOT NULL DEFAULT ('');
ALTER TABLE `test_runs` ADD COLUMN `documents` integer NOT NULL DEFAULT (0);
ALTER TABLE `test_runs` ADD COLUMN `settings` text NOT NULL DEFAULT ('');
ALTER TABLE `test_runs` ADD COLUMN `figures` text NOT NULL DEFAULT ('');
