-- Add column "title" to table: "conversations"
ALTER TABLE `conversations` ADD COLUMN `title` text NOT NULL DEFAULT '';
-- Add column "origin" to table: "conversations"
ALTER TABLE `conversations` ADD COLUMN `origin` text NOT NULL DEFAULT 'api';
-- Add column "begun_by" to table: "conversations"
ALTER TABLE `conversations` ADD COLUMN `begun_by` text NOT NULL DEFAULT '';
-- Create index "conversation_chatbot_id_id" to table: "conversations"
CREATE INDEX `conversation_chatbot_id_id` ON `conversations` (`chatbot_id`, `id`);
-- Add column "user_agent" to table: "sessions"
ALTER TABLE `sessions` ADD COLUMN `user_agent` text NOT NULL DEFAULT '';
-- Add column "network" to table: "sessions"
ALTER TABLE `sessions` ADD COLUMN `network` text NOT NULL DEFAULT '';
-- Add column "replaces" to table: "tokens"
ALTER TABLE `tokens` ADD COLUMN `replaces` text NOT NULL DEFAULT '';
-- Add column "name" to table: "users"
ALTER TABLE `users` ADD COLUMN `name` text NOT NULL DEFAULT '';
-- Add column "time_zone" to table: "users"
ALTER TABLE `users` ADD COLUMN `time_zone` text NOT NULL DEFAULT '';
-- Add column "appearance" to table: "users"
ALTER TABLE `users` ADD COLUMN `appearance` text NOT NULL DEFAULT '';
-- Add column "undo_state" to table: "documents"
ALTER TABLE `documents` ADD COLUMN `undo_state` text NOT NULL DEFAULT '';
-- Add column "outcome" to table: "messages"
ALTER TABLE `messages` ADD COLUMN `outcome` text NOT NULL DEFAULT '';
-- Add column "conversation_id" to table: "receipts"
ALTER TABLE `receipts` ADD COLUMN `conversation_id` integer NOT NULL DEFAULT 0;
-- Add column "opens" to table: "receipts"
ALTER TABLE `receipts` ADD COLUMN `opens` bool NOT NULL DEFAULT false;
-- Add column "origin" to table: "receipts"
ALTER TABLE `receipts` ADD COLUMN `origin` text NOT NULL DEFAULT 'api';
-- Add column "outcome" to table: "receipts"
ALTER TABLE `receipts` ADD COLUMN `outcome` text NOT NULL DEFAULT '';
-- Add column "counted" to table: "receipts"
ALTER TABLE `receipts` ADD COLUMN `counted` bool NOT NULL DEFAULT false;
-- Create index "receipt_chatbot_id_outcome_conversation_id" to table: "receipts"
CREATE INDEX `receipt_chatbot_id_outcome_conversation_id` ON `receipts` (`chatbot_id`, `outcome`, `conversation_id`);
-- Create index "receipt_to_count" to table: "receipts"
CREATE INDEX `receipt_to_count` ON `receipts` (`id`) WHERE NOT counted;
-- Add column "playground_per_month" to table: "plans"
ALTER TABLE `plans` ADD COLUMN `playground_per_month` integer NOT NULL DEFAULT -1;
-- Create "daily_counts" table
CREATE TABLE `daily_counts` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `workspace_id` text NOT NULL, `day` text NOT NULL, `kind` text NOT NULL, `name` text NOT NULL, `answers` integer NOT NULL, `chatbot_id` text NOT NULL, CONSTRAINT `daily_counts_chatbots_daily_counts` FOREIGN KEY (`chatbot_id`) REFERENCES `chatbots` (`id`) ON DELETE CASCADE);
-- Create index "dailycount_chatbot_id_day_kind_name" to table: "daily_counts"
CREATE UNIQUE INDEX `dailycount_chatbot_id_day_kind_name` ON `daily_counts` (`chatbot_id`, `day`, `kind`, `name`);
-- Create "daily_stats" table
CREATE TABLE `daily_stats` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `workspace_id` text NOT NULL, `day` text NOT NULL, `conversations` integer NOT NULL DEFAULT (0), `questions` integer NOT NULL DEFAULT (0), `answered` integer NOT NULL DEFAULT (0), `no_answer` integer NOT NULL DEFAULT (0), `failed` integer NOT NULL DEFAULT (0), `stopped` integer NOT NULL DEFAULT (0), `thumbs_up` integer NOT NULL DEFAULT (0), `thumbs_down` integer NOT NULL DEFAULT (0), `prompt_tokens` integer NOT NULL DEFAULT (0), `completion_tokens` integer NOT NULL DEFAULT (0), `first_text` json NOT NULL, `hours` json NOT NULL, `users` blob NULL, `chatbot_id` text NOT NULL, CONSTRAINT `daily_stats_chatbots_daily_stats` FOREIGN KEY (`chatbot_id`) REFERENCES `chatbots` (`id`) ON DELETE CASCADE);
-- Create index "dailystat_chatbot_id_day" to table: "daily_stats"
CREATE UNIQUE INDEX `dailystat_chatbot_id_day` ON `daily_stats` (`chatbot_id`, `day`);
-- Create "feedbacks" table
CREATE TABLE `feedbacks` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `workspace_id` text NOT NULL, `conversation_id` integer NOT NULL, `message_id` integer NOT NULL, `rating` integer NOT NULL, `comment` text NOT NULL DEFAULT (''), `given_by` text NOT NULL DEFAULT (''), `counted` integer NOT NULL DEFAULT (0), `updated_at` datetime NOT NULL, `created_at` datetime NOT NULL, `chatbot_id` text NOT NULL, CONSTRAINT `feedbacks_chatbots_feedbacks` FOREIGN KEY (`chatbot_id`) REFERENCES `chatbots` (`id`) ON DELETE CASCADE);
-- Create index "feedbacks_message_id_key" to table: "feedbacks"
CREATE UNIQUE INDEX `feedbacks_message_id_key` ON `feedbacks` (`message_id`);
-- Create index "feedback_chatbot_id_rating_conversation_id" to table: "feedbacks"
CREATE INDEX `feedback_chatbot_id_rating_conversation_id` ON `feedbacks` (`chatbot_id`, `rating`, `conversation_id`);
-- Create index "feedback_conversation_id" to table: "feedbacks"
CREATE INDEX `feedback_conversation_id` ON `feedbacks` (`conversation_id`);
-- Create index "feedback_to_count" to table: "feedbacks"
CREATE INDEX `feedback_to_count` ON `feedbacks` (`id`) WHERE rating <> counted;
-- Create "gaps" table
CREATE TABLE `gaps` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `workspace_id` text NOT NULL, `conversation_id` integer NOT NULL, `message_id` integer NOT NULL, `question` text NOT NULL DEFAULT (''), `reason` text NOT NULL, `state` text NOT NULL DEFAULT ('open'), `document_id` text NOT NULL DEFAULT (''), `settled_at` datetime NULL, `created_at` datetime NOT NULL, `chatbot_id` text NOT NULL, CONSTRAINT `gaps_chatbots_gaps` FOREIGN KEY (`chatbot_id`) REFERENCES `chatbots` (`id`) ON DELETE CASCADE);
-- Create index "gaps_message_id_key" to table: "gaps"
CREATE UNIQUE INDEX `gaps_message_id_key` ON `gaps` (`message_id`);
-- Create index "gap_chatbot_id_state_id" to table: "gaps"
CREATE INDEX `gap_chatbot_id_state_id` ON `gaps` (`chatbot_id`, `state`, `id`);
-- Create index "gap_conversation_id" to table: "gaps"
CREATE INDEX `gap_conversation_id` ON `gaps` (`conversation_id`);
-- Create "test_questions" table
CREATE TABLE `test_questions` (`id` text NOT NULL, `workspace_id` text NOT NULL, `question` text NOT NULL DEFAULT (''), `expects` text NOT NULL, `expected` text NOT NULL DEFAULT (''), `created_by` text NOT NULL, `created_at` datetime NOT NULL, `chatbot_id` text NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `test_questions_chatbots_test_questions` FOREIGN KEY (`chatbot_id`) REFERENCES `chatbots` (`id`) ON DELETE CASCADE);
-- Create index "testquestion_chatbot_id_created_at" to table: "test_questions"
CREATE INDEX `testquestion_chatbot_id_created_at` ON `test_questions` (`chatbot_id`, `created_at`);
-- Create "test_results" table
CREATE TABLE `test_results` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `workspace_id` text NOT NULL, `passed` bool NOT NULL, `outcome` text NOT NULL, `answer` text NOT NULL DEFAULT (''), `sources` text NOT NULL DEFAULT (''), `created_at` datetime NOT NULL, `question_id` text NOT NULL, `run_id` text NOT NULL, CONSTRAINT `test_results_test_questions_results` FOREIGN KEY (`question_id`) REFERENCES `test_questions` (`id`) ON DELETE CASCADE, CONSTRAINT `test_results_test_runs_results` FOREIGN KEY (`run_id`) REFERENCES `test_runs` (`id`) ON DELETE CASCADE);
-- Create index "testresult_run_id" to table: "test_results"
CREATE INDEX `testresult_run_id` ON `test_results` (`run_id`);
-- Create index "testresult_question_id_id" to table: "test_results"
CREATE INDEX `testresult_question_id_id` ON `test_results` (`question_id`, `id`);
-- Create "test_runs" table
CREATE TABLE `test_runs` (`id` text NOT NULL, `workspace_id` text NOT NULL, `cause` text NOT NULL, `state` text NOT NULL, `reason` text NOT NULL DEFAULT (''), `passed` integer NOT NULL DEFAULT (0), `total` integer NOT NULL DEFAULT (0), `due_at` datetime NULL, `ended_at` datetime NULL, `created_at` datetime NOT NULL, `chatbot_id` text NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `test_runs_chatbots_test_runs` FOREIGN KEY (`chatbot_id`) REFERENCES `chatbots` (`id`) ON DELETE CASCADE);
-- Create index "testrun_chatbot_id_created_at" to table: "test_runs"
CREATE INDEX `testrun_chatbot_id_created_at` ON `test_runs` (`chatbot_id`, `created_at`);
-- Create index "test_run_due" to table: "test_runs"
CREATE INDEX `test_run_due` ON `test_runs` (`due_at`) WHERE due_at IS NOT NULL;
-- Set the playground's questions of each plan
UPDATE `plans` SET `playground_per_month` = 200 WHERE `id` = 'starter';
UPDATE `plans` SET `playground_per_month` = 500 WHERE `id` = 'basic';
UPDATE `plans` SET `playground_per_month` = 2000 WHERE `id` = 'standard';
UPDATE `plans` SET `playground_per_month` = 10000 WHERE `id` = 'premium';
-- Give conversations the beginning of their first question as a title, and usage records their conversation
UPDATE `conversations` SET `title` = COALESCE((SELECT substr(`content`, 1, 120) FROM `messages` WHERE `conversation_id` = `conversations`.`id` ORDER BY `id` LIMIT 1), '');
UPDATE `receipts` SET `conversation_id` = COALESCE((SELECT `conversation_id` FROM `messages` WHERE `messages`.`id` = `message_id`), 0);
-- Usage records of before say how an answer ended by their status alone
UPDATE `receipts` SET `outcome` = CASE `status` WHEN 'complete' THEN 'answered' ELSE `status` END;
UPDATE `receipts` SET `opens` = TRUE WHERE `conversation_id` <> 0 AND `attempt` = 1
	AND `message_id` = (SELECT MIN(`id`) FROM `messages` WHERE `messages`.`conversation_id` = `receipts`.`conversation_id` AND `role` = 'assistant');
