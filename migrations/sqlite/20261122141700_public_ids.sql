-- Disable the enforcement of foreign-keys constraints
PRAGMA foreign_keys = off;
-- Create "new_chatbots" table
CREATE TABLE `new_chatbots` (`id` text NOT NULL, `name` text NOT NULL, `instructions` text NOT NULL DEFAULT (''), `no_answer` text NOT NULL DEFAULT (''), `image_hosts` json NOT NULL, `passage_aim` integer NOT NULL DEFAULT (0), `passage_limit` integer NOT NULL DEFAULT (0), `answer_without_knowledge` bool NOT NULL DEFAULT (false), `separate_end_users` bool NOT NULL DEFAULT (false), `provider_id` text NOT NULL DEFAULT (''), `model` text NOT NULL DEFAULT (''), `fallback_provider_id` text NOT NULL DEFAULT (''), `fallback_model` text NOT NULL DEFAULT (''), `temperature` real NULL, `max_answer_tokens` integer NOT NULL DEFAULT (0), `grounding` text NOT NULL DEFAULT ('open'), `cache_answers` bool NOT NULL DEFAULT (false), `kept` bool NOT NULL DEFAULT (false), `over_limit` bool NOT NULL DEFAULT (false), `created_at` datetime NOT NULL, `workspace_id` text NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `chatbots_workspaces_chatbots` FOREIGN KEY (`workspace_id`) REFERENCES `workspaces` (`id`) ON DELETE CASCADE);
-- Copy rows from old table "chatbots" to new temporary table "new_chatbots"
INSERT INTO `new_chatbots` (`id`, `name`, `instructions`, `no_answer`, `image_hosts`, `passage_aim`, `passage_limit`, `answer_without_knowledge`, `provider_id`, `model`, `fallback_provider_id`, `fallback_model`, `temperature`, `max_answer_tokens`, `grounding`, `cache_answers`, `kept`, `over_limit`, `created_at`, `workspace_id`) SELECT `id`, `name`, `instructions`, `no_answer`, `image_hosts`, `passage_aim`, `passage_limit`, `answer_without_knowledge`, `provider_id`, `model`, `fallback_provider_id`, `fallback_model`, `temperature`, `max_answer_tokens`, `grounding`, `cache_answers`, `kept`, `over_limit`, `created_at`, `workspace_id` FROM `chatbots`;
-- Drop "chatbots" table after copying rows
DROP TABLE `chatbots`;
-- Rename temporary table "new_chatbots" to "chatbots"
ALTER TABLE `new_chatbots` RENAME TO `chatbots`;
-- Create index "chatbot_workspace_id_created_at" to table: "chatbots"
CREATE INDEX `chatbot_workspace_id_created_at` ON `chatbots` (`workspace_id`, `created_at`);
-- Create "installation_keys" table
CREATE TABLE `installation_keys` (`id` text NOT NULL, `key` blob NOT NULL, `created_at` datetime NOT NULL, PRIMARY KEY (`id`));
-- Enable back the enforcement of foreign-keys constraints
PRAGMA foreign_keys = on;
