-- Add column "metadata" to table: "conversations"
ALTER TABLE `conversations` ADD COLUMN `metadata` text NOT NULL DEFAULT '';
-- Add column "kind" to table: "tokens"
ALTER TABLE `tokens` ADD COLUMN `kind` text NOT NULL DEFAULT 'secret';
-- Add column "ip_ranges" to table: "tokens"
ALTER TABLE `tokens` ADD COLUMN `ip_ranges` text NOT NULL DEFAULT '';
-- Add column "origins" to table: "tokens"
ALTER TABLE `tokens` ADD COLUMN `origins` text NOT NULL DEFAULT '';
-- Add column "requests_per_minute" to table: "tokens"
ALTER TABLE `tokens` ADD COLUMN `requests_per_minute` integer NOT NULL DEFAULT 0;
-- Add column "messages_per_month" to table: "tokens"
ALTER TABLE `tokens` ADD COLUMN `messages_per_month` integer NOT NULL DEFAULT 0;
-- Add column "visitor_requests_per_minute" to table: "tokens"
ALTER TABLE `tokens` ADD COLUMN `visitor_requests_per_minute` integer NOT NULL DEFAULT 0;
-- Add column "note" to table: "tokens"
ALTER TABLE `tokens` ADD COLUMN `note` text NOT NULL DEFAULT '';
-- Add column "last_used_ip" to table: "tokens"
ALTER TABLE `tokens` ADD COLUMN `last_used_ip` text NOT NULL DEFAULT '';
-- Add column "last_used_agent" to table: "tokens"
ALTER TABLE `tokens` ADD COLUMN `last_used_agent` text NOT NULL DEFAULT '';
-- Add column "warned_days" to table: "tokens"
ALTER TABLE `tokens` ADD COLUMN `warned_days` integer NOT NULL DEFAULT 0;
-- Create index "token_expires_at" to table: "tokens"
CREATE INDEX `token_expires_at` ON `tokens` (`expires_at`);
-- Add column "external_id" to table: "documents"
ALTER TABLE `documents` ADD COLUMN `external_id` text NOT NULL DEFAULT '';
-- Create index "document_chatbot_id_state" to table: "documents"
CREATE INDEX `document_chatbot_id_state` ON `documents` (`chatbot_id`, `state`);
-- Create index "document_external_id" to table: "documents"
CREATE UNIQUE INDEX `document_external_id` ON `documents` (`chatbot_id`, `external_id`) WHERE external_id <> '';
-- Drop index "receipt_chatbot_id_outcome_conversation_id" from table: "receipts"
DROP INDEX `receipt_chatbot_id_outcome_conversation_id`;
-- Create index "receipt_not_answered" to table: "receipts"
CREATE INDEX `receipt_not_answered` ON `receipts` (`chatbot_id`, `outcome`, `conversation_id`) WHERE outcome <> 'answered';
-- Create "quota_notices" table
CREATE TABLE `quota_notices` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `month` text NOT NULL, `percent` integer NOT NULL, `created_at` datetime NOT NULL, `workspace_id` text NOT NULL, CONSTRAINT `quota_notices_workspaces_quota_notices` FOREIGN KEY (`workspace_id`) REFERENCES `workspaces` (`id`) ON DELETE CASCADE);
-- Create index "quotanotice_workspace_id_month_percent" to table: "quota_notices"
CREATE UNIQUE INDEX `quotanotice_workspace_id_month_percent` ON `quota_notices` (`workspace_id`, `month`, `percent`);
-- Create "token_months" table
CREATE TABLE `token_months` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `workspace_id` text NOT NULL, `month` text NOT NULL, `messages` integer NOT NULL, `token_id` text NOT NULL, CONSTRAINT `token_months_tokens_months` FOREIGN KEY (`token_id`) REFERENCES `tokens` (`id`) ON DELETE CASCADE);
-- Create index "tokenmonth_token_id_month" to table: "token_months"
CREATE UNIQUE INDEX `tokenmonth_token_id_month` ON `token_months` (`token_id`, `month`);
-- Create "webhook_deliveries" table
CREATE TABLE `webhook_deliveries` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `workspace_id` text NOT NULL, `state` text NOT NULL DEFAULT ('pending'), `attempts` integer NOT NULL DEFAULT (0), `attempt_log` text NOT NULL DEFAULT (''), `due_at` datetime NULL, `ended_at` datetime NULL, `created_at` datetime NOT NULL, `endpoint_id` text NOT NULL, `message_id` text NOT NULL, CONSTRAINT `webhook_deliveries_webhook_endpoints_deliveries` FOREIGN KEY (`endpoint_id`) REFERENCES `webhook_endpoints` (`id`) ON DELETE CASCADE, CONSTRAINT `webhook_deliveries_webhook_messages_deliveries` FOREIGN KEY (`message_id`) REFERENCES `webhook_messages` (`id`) ON DELETE CASCADE);
-- Create index "webhookdelivery_endpoint_id_id" to table: "webhook_deliveries"
CREATE INDEX `webhookdelivery_endpoint_id_id` ON `webhook_deliveries` (`endpoint_id`, `id`);
-- Create index "webhookdelivery_message_id" to table: "webhook_deliveries"
CREATE INDEX `webhookdelivery_message_id` ON `webhook_deliveries` (`message_id`);
-- Create index "webhook_due" to table: "webhook_deliveries"
CREATE INDEX `webhook_due` ON `webhook_deliveries` (`due_at`) WHERE due_at IS NOT NULL;
-- Create "webhook_endpoints" table
CREATE TABLE `webhook_endpoints` (`id` text NOT NULL, `chatbot_id` text NOT NULL DEFAULT (''), `url` text NOT NULL DEFAULT (''), `events` json NOT NULL, `description` text NOT NULL DEFAULT (''), `sealed_secret` blob NOT NULL, `sealed_previous` blob NULL, `previous_until` datetime NULL, `state` text NOT NULL DEFAULT ('active'), `reason` text NOT NULL DEFAULT (''), `created_by` text NOT NULL, `updated_at` datetime NOT NULL, `created_at` datetime NOT NULL, `workspace_id` text NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `webhook_endpoints_workspaces_webhook_endpoints` FOREIGN KEY (`workspace_id`) REFERENCES `workspaces` (`id`) ON DELETE CASCADE);
-- Create index "webhookendpoint_workspace_id_created_at" to table: "webhook_endpoints"
CREATE INDEX `webhookendpoint_workspace_id_created_at` ON `webhook_endpoints` (`workspace_id`, `created_at`);
-- Create "webhook_messages" table
CREATE TABLE `webhook_messages` (`id` text NOT NULL, `chatbot_id` text NOT NULL DEFAULT (''), `kind` text NOT NULL, `payload` text NOT NULL DEFAULT (''), `created_at` datetime NOT NULL, `workspace_id` text NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `webhook_messages_workspaces_webhook_messages` FOREIGN KEY (`workspace_id`) REFERENCES `workspaces` (`id`) ON DELETE CASCADE);
-- Create index "webhookmessage_workspace_id" to table: "webhook_messages"
CREATE INDEX `webhookmessage_workspace_id` ON `webhook_messages` (`workspace_id`);
-- Create index "webhookmessage_created_at" to table: "webhook_messages"
CREATE INDEX `webhookmessage_created_at` ON `webhook_messages` (`created_at`);
