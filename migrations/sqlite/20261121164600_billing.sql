-- What is over a limit, and what an owner keeps
ALTER TABLE `members` ADD COLUMN `kept` bool NOT NULL DEFAULT false;
ALTER TABLE `members` ADD COLUMN `over_limit` bool NOT NULL DEFAULT false;
ALTER TABLE `chatbots` ADD COLUMN `kept` bool NOT NULL DEFAULT false;
ALTER TABLE `chatbots` ADD COLUMN `over_limit` bool NOT NULL DEFAULT false;
ALTER TABLE `tokens` ADD COLUMN `kept` bool NOT NULL DEFAULT false;
ALTER TABLE `tokens` ADD COLUMN `over_limit` bool NOT NULL DEFAULT false;
-- Limits, features and prices of plans
ALTER TABLE `plans` ADD COLUMN `features` json NOT NULL DEFAULT '[]';
ALTER TABLE `plans` ADD COLUMN `messages_per_month` integer NOT NULL DEFAULT -1;
ALTER TABLE `plans` ADD COLUMN `requests_per_minute` integer NOT NULL DEFAULT -1;
ALTER TABLE `plans` ADD COLUMN `retention_days` integer NOT NULL DEFAULT -1;
ALTER TABLE `plans` ADD COLUMN `monthly_price` integer NOT NULL DEFAULT -1;
ALTER TABLE `plans` ADD COLUMN `yearly_price` integer NOT NULL DEFAULT -1;
ALTER TABLE `plans` ADD COLUMN `currency` text NOT NULL DEFAULT 'usd';
-- What was included before is included still, with the limits that are new as
-- a new database has them. Plans were given by hand until now.
UPDATE `plans` SET `features` = '["sites"]' WHERE `id` = 'basic';
UPDATE `plans` SET `features` = '["api","sites","schedules"]' WHERE `api_access`;
UPDATE `plans` SET `messages_per_month` = 100, `requests_per_minute` = 20, `retention_days` = 30, `monthly_price` = 0, `yearly_price` = 0 WHERE `id` = 'starter';
UPDATE `plans` SET `messages_per_month` = 2000, `requests_per_minute` = 60, `retention_days` = 90, `monthly_price` = 1900, `yearly_price` = 19000 WHERE `id` = 'basic';
UPDATE `plans` SET `messages_per_month` = 20000, `requests_per_minute` = 300, `retention_days` = 365, `monthly_price` = 7900, `yearly_price` = 79000 WHERE `id` = 'standard';
UPDATE `plans` SET `messages_per_month` = 200000, `requests_per_minute` = 1200, `retention_days` = 730, `monthly_price` = 29900, `yearly_price` = 299000 WHERE `id` = 'premium';
ALTER TABLE `plans` DROP COLUMN `api_access`;
ALTER TABLE `workspaces` ADD COLUMN `granted_plan` text NOT NULL DEFAULT 'starter';
UPDATE `workspaces` SET `granted_plan` = `plan`;
ALTER TABLE `workspaces` ADD COLUMN `kept_before` datetime NULL;
ALTER TABLE `workspaces` ADD COLUMN `kept_days` integer NOT NULL DEFAULT 0;
-- Removals are counted again
ALTER TABLE `removals` ADD COLUMN `counted_at` datetime NULL;
-- What was confirmed before is not counted again.
UPDATE `removals` SET `counted_at` = `confirmed_at`;
-- Create index "removal_to_count" to table: "removals"
CREATE INDEX `removal_to_count` ON `removals` (`confirmed_at`) WHERE counted_at IS NULL;
-- Create index "conversation_workspace_id_created_at" to table: "conversations"
CREATE INDEX `conversation_workspace_id_created_at` ON `conversations` (`workspace_id`, `created_at`);
-- Create "audit_entries" table
CREATE TABLE `audit_entries` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `actor` text NOT NULL, `action` text NOT NULL, `detail` text NOT NULL, `at` datetime NOT NULL, `workspace_id` text NOT NULL, CONSTRAINT `audit_entries_workspaces_audit_entries` FOREIGN KEY (`workspace_id`) REFERENCES `workspaces` (`id`) ON DELETE CASCADE);
-- Create index "auditentry_workspace_id_id" to table: "audit_entries"
CREATE INDEX `auditentry_workspace_id_id` ON `audit_entries` (`workspace_id`, `id`);
-- Create "billing_events" table
CREATE TABLE `billing_events` (`id` text NOT NULL, `type` text NOT NULL, `applied_at` datetime NOT NULL, PRIMARY KEY (`id`));
-- Create index "billingevent_applied_at" to table: "billing_events"
CREATE INDEX `billingevent_applied_at` ON `billing_events` (`applied_at`);
-- Create "chores" table
CREATE TABLE `chores` (`id` text NOT NULL, `begun_at` datetime NOT NULL, PRIMARY KEY (`id`));
-- Create "mails" table
CREATE TABLE `mails` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `key` text NOT NULL, `recipient` text NOT NULL, `subject` text NOT NULL, `body` text NOT NULL DEFAULT (''), `due_at` datetime NULL, `attempts` integer NOT NULL DEFAULT (0), `sent_at` datetime NULL, `created_at` datetime NOT NULL, `workspace_id` text NOT NULL, CONSTRAINT `mails_workspaces_mails` FOREIGN KEY (`workspace_id`) REFERENCES `workspaces` (`id`) ON DELETE CASCADE);
-- Create index "mails_key_key" to table: "mails"
CREATE UNIQUE INDEX `mails_key_key` ON `mails` (`key`);
-- Create index "mail_due_at" to table: "mails"
CREATE INDEX `mail_due_at` ON `mails` (`due_at`);
-- Create index "mail_workspace_id" to table: "mails"
CREATE INDEX `mail_workspace_id` ON `mails` (`workspace_id`);
-- Create "rebuilds" table
CREATE TABLE `rebuilds` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `began_at` datetime NOT NULL);
-- Create "subscriptions" table
CREATE TABLE `subscriptions` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `customer_id` text NOT NULL, `customer_stale` bool NOT NULL DEFAULT (false), `subscription_id` text NOT NULL DEFAULT (''), `status` text NOT NULL DEFAULT (''), `plan` text NOT NULL DEFAULT (''), `interval` text NOT NULL DEFAULT (''), `period_end` datetime NULL, `ends_at` datetime NULL, `trial_end` datetime NULL, `past_due_since` datetime NULL, `next_plan` text NOT NULL DEFAULT (''), `next_at` datetime NULL, `access_plan` text NOT NULL DEFAULT ('starter'), `access_until` datetime NULL, `access_unknown` bool NOT NULL DEFAULT (false), `trial_used` bool NOT NULL DEFAULT (false), `checkout_at` datetime NULL, `revision` integer NOT NULL DEFAULT (0), `fetched_at` datetime NULL, `created_at` datetime NOT NULL, `workspace_id` text NOT NULL, CONSTRAINT `subscriptions_workspaces_subscriptions` FOREIGN KEY (`workspace_id`) REFERENCES `workspaces` (`id`) ON DELETE CASCADE);
-- Create index "subscriptions_customer_id_key" to table: "subscriptions"
CREATE UNIQUE INDEX `subscriptions_customer_id_key` ON `subscriptions` (`customer_id`);
-- Create index "subscription_workspace_id" to table: "subscriptions"
CREATE UNIQUE INDEX `subscription_workspace_id` ON `subscriptions` (`workspace_id`);
-- Create index "subscription_access_until" to table: "subscriptions"
CREATE INDEX `subscription_access_until` ON `subscriptions` (`access_until`);
-- Create "usages" table
CREATE TABLE `usages` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `month` text NOT NULL, `shard` integer NOT NULL, `messages` integer NOT NULL, `workspace_id` text NOT NULL, CONSTRAINT `usages_workspaces_usages` FOREIGN KEY (`workspace_id`) REFERENCES `workspaces` (`id`) ON DELETE CASCADE);
-- Create index "usage_workspace_id_month_shard" to table: "usages"
CREATE UNIQUE INDEX `usage_workspace_id_month_shard` ON `usages` (`workspace_id`, `month`, `shard`);
