-- How a chatbot answers
ALTER TABLE `chatbots` ADD COLUMN `provider_id` text NOT NULL DEFAULT '';
ALTER TABLE `chatbots` ADD COLUMN `model` text NOT NULL DEFAULT '';
ALTER TABLE `chatbots` ADD COLUMN `fallback_provider_id` text NOT NULL DEFAULT '';
ALTER TABLE `chatbots` ADD COLUMN `fallback_model` text NOT NULL DEFAULT '';
ALTER TABLE `chatbots` ADD COLUMN `temperature` real NULL;
ALTER TABLE `chatbots` ADD COLUMN `max_answer_tokens` integer NOT NULL DEFAULT 0;
ALTER TABLE `chatbots` ADD COLUMN `grounding` text NOT NULL DEFAULT 'open';
ALTER TABLE `chatbots` ADD COLUMN `cache_answers` bool NOT NULL DEFAULT false;
-- Where passages stand
ALTER TABLE `passages` ADD COLUMN `start` integer NOT NULL DEFAULT 0;
ALTER TABLE `passages` ADD COLUMN `end` integer NOT NULL DEFAULT 0;
ALTER TABLE `passages` ADD COLUMN `content_hash` text NOT NULL DEFAULT '';
UPDATE `passages` SET `content_hash` = `documents`.`content_hash` FROM `documents` WHERE `documents`.`id` = `passages`.`document_id` AND `documents`.`version` = `passages`.`version`;
-- Turns that are stored while they go on, and that can be begun again
ALTER TABLE `messages` ADD COLUMN `attempt` integer NOT NULL DEFAULT 1;
ALTER TABLE `messages` ADD COLUMN `stopping` bool NOT NULL DEFAULT false;
ALTER TABLE `messages` ADD COLUMN `delivery` text NOT NULL DEFAULT '';
ALTER TABLE `messages` ADD COLUMN `query` text NOT NULL DEFAULT '';
ALTER TABLE `messages` ADD COLUMN `sources` text NOT NULL DEFAULT '';
-- Create index "document_chatbot_id_live" to table: "documents"
CREATE INDEX `document_chatbot_id_live` ON `documents` (`chatbot_id`, `live`);
-- Create index "message_stopping" to table: "messages"
CREATE INDEX `message_stopping` ON `messages` (`id`) WHERE stopping;
-- Create "cached_answers" table
CREATE TABLE `cached_answers` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `workspace_id` text NOT NULL, `key` text NOT NULL, `text` text NOT NULL DEFAULT (''), `sources` text NOT NULL DEFAULT (''), `created_at` datetime NOT NULL, `chatbot_id` text NOT NULL, CONSTRAINT `cached_answers_chatbots_cached_answers` FOREIGN KEY (`chatbot_id`) REFERENCES `chatbots` (`id`) ON DELETE CASCADE);
-- Create index "cachedanswer_chatbot_id_key" to table: "cached_answers"
CREATE UNIQUE INDEX `cachedanswer_chatbot_id_key` ON `cached_answers` (`chatbot_id`, `key`);
-- Create index "cachedanswer_created_at" to table: "cached_answers"
CREATE INDEX `cachedanswer_created_at` ON `cached_answers` (`created_at`);
-- Create "idempotency_keys" table
CREATE TABLE `idempotency_keys` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `workspace_id` text NOT NULL, `token_id` text NOT NULL, `route` text NOT NULL, `key` text NOT NULL, `body_hash` text NOT NULL, `message_id` integer NOT NULL DEFAULT (0), `created_at` datetime NOT NULL, `conversation_id` integer NOT NULL, CONSTRAINT `idempotency_keys_conversations_idempotency_keys` FOREIGN KEY (`conversation_id`) REFERENCES `conversations` (`id`) ON DELETE CASCADE);
-- Create index "idempotencykey_token_id_route_key" to table: "idempotency_keys"
CREATE UNIQUE INDEX `idempotencykey_token_id_route_key` ON `idempotency_keys` (`token_id`, `route`, `key`);
-- Create index "idempotencykey_conversation_id" to table: "idempotency_keys"
CREATE INDEX `idempotencykey_conversation_id` ON `idempotency_keys` (`conversation_id`);
-- Create index "idempotencykey_created_at" to table: "idempotency_keys"
CREATE INDEX `idempotencykey_created_at` ON `idempotency_keys` (`created_at`);
-- Create "providers" table
CREATE TABLE `providers` (`id` text NOT NULL, `name` text NOT NULL, `kind` text NOT NULL, `base_url` text NOT NULL DEFAULT (''), `sealed_key` blob NULL, `key_hint` text NOT NULL DEFAULT (''), `tools` bool NOT NULL DEFAULT (false), `updated_at` datetime NOT NULL, `created_at` datetime NOT NULL, `workspace_id` text NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `providers_workspaces_providers` FOREIGN KEY (`workspace_id`) REFERENCES `workspaces` (`id`) ON DELETE CASCADE);
-- Create index "provider_workspace_id_created_at" to table: "providers"
CREATE INDEX `provider_workspace_id_created_at` ON `providers` (`workspace_id`, `created_at`);
-- Create "receipts" table
CREATE TABLE `receipts` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `chatbot_id` text NOT NULL, `message_id` integer NOT NULL, `attempt` integer NOT NULL, `status` text NOT NULL, `model` text NOT NULL DEFAULT (''), `prompt_tokens` integer NOT NULL DEFAULT (0), `completion_tokens` integer NOT NULL DEFAULT (0), `estimated` bool NOT NULL DEFAULT (false), `first_token_ms` integer NOT NULL DEFAULT (0), `total_ms` integer NOT NULL DEFAULT (0), `passages` integer NOT NULL DEFAULT (0), `refuted` integer NOT NULL DEFAULT (0), `created_at` datetime NOT NULL, `workspace_id` text NOT NULL);
-- Create index "receipt_workspace_id_created_at" to table: "receipts"
CREATE INDEX `receipt_workspace_id_created_at` ON `receipts` (`workspace_id`, `created_at`);
-- Create index "receipt_message_id_attempt" to table: "receipts"
CREATE UNIQUE INDEX `receipt_message_id_attempt` ON `receipts` (`message_id`, `attempt`);
-- What answers cost moves to their receipts. How long they took was not kept.
INSERT INTO `receipts` (`workspace_id`, `chatbot_id`, `message_id`, `attempt`, `status`, `model`, `prompt_tokens`, `completion_tokens`, `estimated`, `created_at`) SELECT m.`workspace_id`, c.`chatbot_id`, m.`id`, 1, m.`status`, m.`model`, m.`prompt_tokens`, m.`completion_tokens`, m.`usage_estimated`, m.`created_at` FROM `messages` m JOIN `conversations` c ON c.`id` = m.`conversation_id` WHERE m.`role` = 'assistant' AND m.`status` <> 'generating' ORDER BY m.`id`;
ALTER TABLE `messages` DROP COLUMN `model`;
ALTER TABLE `messages` DROP COLUMN `prompt_tokens`;
ALTER TABLE `messages` DROP COLUMN `completion_tokens`;
ALTER TABLE `messages` DROP COLUMN `usage_estimated`;
