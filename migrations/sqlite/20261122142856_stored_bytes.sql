-- Disable the enforcement of foreign-keys constraints
PRAGMA foreign_keys = off;
-- Create "new_plans" table
CREATE TABLE `new_plans` (`id` text NOT NULL, `title` text NOT NULL, `rank` integer NOT NULL, `features` json NOT NULL DEFAULT '[]', `chatbots` integer NOT NULL, `members` integer NOT NULL, `tokens_per_chatbot` integer NOT NULL, `message_chars` integer NOT NULL, `messages_per_month` integer NOT NULL DEFAULT (-1), `knowledge_chars` integer NOT NULL, `stored_bytes` integer NOT NULL DEFAULT (-1), `requests_per_minute` integer NOT NULL DEFAULT (-1), `retention_days` integer NOT NULL DEFAULT (-1), `monthly_price` integer NOT NULL DEFAULT (-1), `yearly_price` integer NOT NULL DEFAULT (-1), `currency` text NOT NULL DEFAULT ('usd'), PRIMARY KEY (`id`));
-- Copy rows from old table "plans" to new temporary table "new_plans"
INSERT INTO `new_plans` (`id`, `title`, `rank`, `features`, `chatbots`, `members`, `tokens_per_chatbot`, `message_chars`, `messages_per_month`, `knowledge_chars`, `requests_per_minute`, `retention_days`, `monthly_price`, `yearly_price`, `currency`) SELECT `id`, `title`, `rank`, `features`, `chatbots`, `members`, `tokens_per_chatbot`, `message_chars`, `messages_per_month`, `knowledge_chars`, `requests_per_minute`, `retention_days`, `monthly_price`, `yearly_price`, `currency` FROM `plans`;
-- Drop "plans" table after copying rows
DROP TABLE `plans`;
-- Rename temporary table "new_plans" to "plans"
ALTER TABLE `new_plans` RENAME TO `plans`;
-- Create index "plans_rank_key" to table: "plans"
CREATE UNIQUE INDEX `plans_rank_key` ON `plans` (`rank`);
-- Create index "upload_workspace_id" to table: "uploads"
CREATE INDEX `upload_workspace_id` ON `uploads` (`workspace_id`);
-- Enable back the enforcement of foreign-keys constraints
PRAGMA foreign_keys = on;
-- A limit for each plan that is there; one that an operator made otherwise has none until it is given one.
UPDATE plans SET stored_bytes = CASE id WHEN 'starter' THEN 50000000 WHEN 'basic' THEN 250000000 WHEN 'standard' THEN 2000000000 WHEN 'premium' THEN 10000000000 ELSE -1 END;
-- Jobs have kinds from now on. What these were for is due in documents and sources, and is queued again.
DELETE FROM river_job WHERE queue = 'work';
