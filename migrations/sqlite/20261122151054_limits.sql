-- Disable the enforcement of foreign-keys constraints
PRAGMA foreign_keys = off;
-- Create "new_plans" table
CREATE TABLE `new_plans` (`id` text NOT NULL, `title` text NOT NULL, `rank` integer NOT NULL, `features` json NOT NULL DEFAULT '[]', `chatbots` integer NOT NULL, `members` integer NOT NULL, `tokens_per_chatbot` integer NOT NULL, `message_chars` integer NOT NULL, `messages_per_month` integer NOT NULL DEFAULT (-1), `knowledge_chars` integer NOT NULL, `stored_bytes` integer NOT NULL DEFAULT (-1), `requests_per_minute` integer NOT NULL DEFAULT (-1), `concurrent_answers` integer NOT NULL DEFAULT (-1), `retention_days` integer NOT NULL DEFAULT (-1), `monthly_price` integer NOT NULL DEFAULT (-1), `yearly_price` integer NOT NULL DEFAULT (-1), `currency` text NOT NULL DEFAULT ('usd'), `sold_monthly_price` integer NOT NULL DEFAULT (-1), `sold_yearly_price` integer NOT NULL DEFAULT (-1), `sold_currency` text NOT NULL DEFAULT (''), PRIMARY KEY (`id`));
-- Copy rows from old table "plans" to new temporary table "new_plans"
INSERT INTO `new_plans` (`id`, `title`, `rank`, `features`, `chatbots`, `members`, `tokens_per_chatbot`, `message_chars`, `messages_per_month`, `knowledge_chars`, `stored_bytes`, `requests_per_minute`, `retention_days`, `monthly_price`, `yearly_price`, `currency`, `sold_monthly_price`, `sold_yearly_price`, `sold_currency`) SELECT `id`, `title`, `rank`, `features`, `chatbots`, `members`, `tokens_per_chatbot`, `message_chars`, `messages_per_month`, `knowledge_chars`, `stored_bytes`, `requests_per_minute`, `retention_days`, `monthly_price`, `yearly_price`, `currency`, `sold_monthly_price`, `sold_yearly_price`, `sold_currency` FROM `plans`;
-- Drop "plans" table after copying rows
DROP TABLE `plans`;
-- Rename temporary table "new_plans" to "plans"
ALTER TABLE `new_plans` RENAME TO `plans`;
-- Create index "plans_rank_key" to table: "plans"
CREATE UNIQUE INDEX `plans_rank_key` ON `plans` (`rank`);
-- Plans that were there before include as many answers at once as those of a
-- new database.
UPDATE `plans` SET `concurrent_answers` = 5 WHERE `id` = 'starter';
UPDATE `plans` SET `concurrent_answers` = 20 WHERE `id` = 'basic';
UPDATE `plans` SET `concurrent_answers` = 100 WHERE `id` = 'standard';
UPDATE `plans` SET `concurrent_answers` = 400 WHERE `id` = 'premium';
-- Create "message_holds" table
CREATE TABLE `message_holds` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `month` text NOT NULL, `holder` integer NOT NULL, `granted` integer NOT NULL, `lease_until` datetime NOT NULL, `workspace_id` text NOT NULL, CONSTRAINT `message_holds_workspaces_message_holds` FOREIGN KEY (`workspace_id`) REFERENCES `workspaces` (`id`) ON DELETE CASCADE);
-- Create index "messagehold_workspace_id_month_holder" to table: "message_holds"
CREATE UNIQUE INDEX `messagehold_workspace_id_month_holder` ON `message_holds` (`workspace_id`, `month`, `holder`);
-- Create index "messagehold_lease_until" to table: "message_holds"
CREATE INDEX `messagehold_lease_until` ON `message_holds` (`lease_until`);
-- Create "request_minutes" table
CREATE TABLE `request_minutes` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `workspace_id` text NOT NULL, `minute` blob NOT NULL, `revision` integer NOT NULL, `changed_at` datetime NOT NULL);
-- Create index "requestminute_workspace_id" to table: "request_minutes"
CREATE UNIQUE INDEX `requestminute_workspace_id` ON `request_minutes` (`workspace_id`);
-- Enable back the enforcement of foreign-keys constraints
PRAGMA foreign_keys = on;
