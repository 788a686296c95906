-- Disable the enforcement of foreign-keys constraints
PRAGMA foreign_keys = off;
-- Create "new_chatbots" table
CREATE TABLE `new_chatbots` (`id` text NOT NULL, `name` text NOT NULL, `instructions` text NOT NULL DEFAULT (''), `no_answer` text NOT NULL DEFAULT (''), `image_hosts` json NOT NULL, `passage_aim` integer NOT NULL DEFAULT (0), `passage_limit` integer NOT NULL DEFAULT (0), `answer_without_knowledge` bool NOT NULL DEFAULT (false), `created_at` datetime NOT NULL, `workspace_id` text NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `chatbots_workspaces_chatbots` FOREIGN KEY (`workspace_id`) REFERENCES `workspaces` (`id`) ON DELETE CASCADE);
-- Copy rows from old table "chatbots" to new temporary table "new_chatbots"
INSERT INTO `new_chatbots` (`id`, `name`, `instructions`, `no_answer`, `image_hosts`, `created_at`, `workspace_id`) SELECT `id`, `name`, `instructions`, `no_answer`, `image_hosts`, `created_at`, `workspace_id` FROM `chatbots`;
-- Drop "chatbots" table after copying rows
DROP TABLE `chatbots`;
-- Rename temporary table "new_chatbots" to "chatbots"
ALTER TABLE `new_chatbots` RENAME TO `chatbots`;
-- Create index "chatbot_workspace_id_created_at" to table: "chatbots"
CREATE INDEX `chatbot_workspace_id_created_at` ON `chatbots` (`workspace_id`, `created_at`);
-- Create "new_documents" table
CREATE TABLE `new_documents` (`id` text NOT NULL, `workspace_id` text NOT NULL, `source_id` text NOT NULL DEFAULT (''), `url` text NOT NULL DEFAULT (''), `depth` integer NOT NULL DEFAULT (0), `title` text NOT NULL, `kind` text NOT NULL, `state` text NOT NULL, `reason` text NOT NULL DEFAULT (''), `content` text NOT NULL DEFAULT (''), `places` text NOT NULL DEFAULT (''), `input_hash` text NOT NULL DEFAULT (''), `content_hash` text NOT NULL, `chars` integer NOT NULL, `passage_count` integer NOT NULL DEFAULT (0), `indexed` integer NOT NULL DEFAULT (0), `version` integer NOT NULL DEFAULT (0), `live` integer NOT NULL DEFAULT (0), `attempts` integer NOT NULL DEFAULT (0), `due_at` datetime NULL, `etag` text NOT NULL DEFAULT (''), `last_modified` text NOT NULL DEFAULT (''), `fetched_at` datetime NULL, `updated_at` datetime NULL, `created_at` datetime NOT NULL, `chatbot_id` text NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `documents_chatbots_documents` FOREIGN KEY (`chatbot_id`) REFERENCES `chatbots` (`id`) ON DELETE CASCADE);
-- Copy rows from old table "documents" to new temporary table "new_documents"
INSERT INTO `new_documents` (`id`, `workspace_id`, `title`, `kind`, `state`, `reason`, `content`, `content_hash`, `chars`, `passage_count`, `created_at`, `chatbot_id`) SELECT `id`, `workspace_id`, `title`, `kind`, `state`, `reason`, `content`, `content_hash`, `chars`, `passage_count`, `created_at`, `chatbot_id` FROM `documents`;
-- Drop "documents" table after copying rows
DROP TABLE `documents`;
-- Rename temporary table "new_documents" to "documents"
ALTER TABLE `new_documents` RENAME TO `documents`;
-- Create index "document_chatbot_id_created_at" to table: "documents"
CREATE INDEX `document_chatbot_id_created_at` ON `documents` (`chatbot_id`, `created_at`);
-- Create index "document_chatbot_id_input_hash" to table: "documents"
CREATE INDEX `document_chatbot_id_input_hash` ON `documents` (`chatbot_id`, `input_hash`);
-- Create index "document_source_id_state" to table: "documents"
CREATE INDEX `document_source_id_state` ON `documents` (`source_id`, `state`);
-- Create index "document_workspace_id" to table: "documents"
CREATE INDEX `document_workspace_id` ON `documents` (`workspace_id`);
-- Create index "document_updated_at" to table: "documents"
CREATE INDEX `document_updated_at` ON `documents` (`updated_at`);
-- Create index "document_due" to table: "documents"
CREATE INDEX `document_due` ON `documents` (`workspace_id`, `due_at`) WHERE due_at IS NOT NULL;
-- Create "new_messages" table
CREATE TABLE `new_messages` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `workspace_id` text NOT NULL, `role` text NOT NULL, `content` text NOT NULL DEFAULT (''), `status` text NOT NULL, `model` text NOT NULL DEFAULT (''), `prompt_tokens` integer NOT NULL DEFAULT (0), `completion_tokens` integer NOT NULL DEFAULT (0), `usage_estimated` bool NOT NULL DEFAULT (false), `lease_until` datetime NULL, `document_ids` text NOT NULL DEFAULT (''), `created_at` datetime NOT NULL, `conversation_id` integer NOT NULL, CONSTRAINT `messages_conversations_messages` FOREIGN KEY (`conversation_id`) REFERENCES `conversations` (`id`) ON DELETE CASCADE);
-- Copy rows from old table "messages" to new temporary table "new_messages"
INSERT INTO `new_messages` (`id`, `workspace_id`, `role`, `content`, `status`, `model`, `prompt_tokens`, `completion_tokens`, `usage_estimated`, `lease_until`, `created_at`, `conversation_id`) SELECT `id`, `workspace_id`, `role`, `content`, `status`, `model`, `prompt_tokens`, `completion_tokens`, `usage_estimated`, `lease_until`, `created_at`, `conversation_id` FROM `messages`;
-- Drop "messages" table after copying rows
DROP TABLE `messages`;
-- Rename temporary table "new_messages" to "messages"
ALTER TABLE `new_messages` RENAME TO `messages`;
-- Create index "message_conversation_id_id" to table: "messages"
CREATE INDEX `message_conversation_id_id` ON `messages` (`conversation_id`, `id`);
-- Create index "message_one_generating" to table: "messages"
CREATE UNIQUE INDEX `message_one_generating` ON `messages` (`conversation_id`) WHERE status = 'generating';
-- Create "new_passages" table
CREATE TABLE `new_passages` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `workspace_id` text NOT NULL, `chatbot_id` text NOT NULL, `version` integer NOT NULL DEFAULT (1), `ordinal` integer NOT NULL, `title` text NOT NULL, `heading_path` json NOT NULL, `place` text NOT NULL DEFAULT (''), `text` text NOT NULL DEFAULT (''), `document_id` text NOT NULL, CONSTRAINT `passages_documents_passages` FOREIGN KEY (`document_id`) REFERENCES `documents` (`id`) ON DELETE CASCADE);
-- Copy rows from old table "passages" to new temporary table "new_passages"
INSERT INTO `new_passages` (`id`, `workspace_id`, `chatbot_id`, `ordinal`, `title`, `heading_path`, `text`, `document_id`) SELECT `id`, `workspace_id`, `chatbot_id`, `ordinal`, `title`, `heading_path`, `text`, `document_id` FROM `passages`;
-- Drop "passages" table after copying rows
DROP TABLE `passages`;
-- Rename temporary table "new_passages" to "passages"
ALTER TABLE `new_passages` RENAME TO `passages`;
-- Create index "passage_document_id_version_ordinal" to table: "passages"
CREATE UNIQUE INDEX `passage_document_id_version_ordinal` ON `passages` (`document_id`, `version`, `ordinal`);
-- Create "embeddings" table
CREATE TABLE `embeddings` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `model` text NOT NULL, `text_hash` text NOT NULL, `vector` blob NOT NULL, `used_at` datetime NOT NULL, `workspace_id` text NOT NULL, CONSTRAINT `embeddings_workspaces_embeddings` FOREIGN KEY (`workspace_id`) REFERENCES `workspaces` (`id`) ON DELETE CASCADE);
-- Create index "embedding_workspace_id_model_text_hash" to table: "embeddings"
CREATE UNIQUE INDEX `embedding_workspace_id_model_text_hash` ON `embeddings` (`workspace_id`, `model`, `text_hash`);
-- Create index "embedding_used_at" to table: "embeddings"
CREATE INDEX `embedding_used_at` ON `embeddings` (`used_at`);
-- Create "removals" table
CREATE TABLE `removals` (`id` text NOT NULL, `workspace_id` text NOT NULL, `document_id` text NOT NULL, `title` text NOT NULL, `url` text NOT NULL DEFAULT (''), `content_hash` text NOT NULL, `passages` integer NOT NULL, `requested_at` datetime NOT NULL, `confirmed_at` datetime NULL, `answers` integer NOT NULL DEFAULT (0), `message_ids` json NOT NULL, `chatbot_id` text NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `removals_chatbots_removals` FOREIGN KEY (`chatbot_id`) REFERENCES `chatbots` (`id`) ON DELETE CASCADE);
-- Create index "removal_chatbot_id_requested_at" to table: "removals"
CREATE INDEX `removal_chatbot_id_requested_at` ON `removals` (`chatbot_id`, `requested_at`);
-- Create index "removal_document_id" to table: "removals"
CREATE UNIQUE INDEX `removal_document_id` ON `removals` (`document_id`);
-- Create "sources" table
CREATE TABLE `sources` (`id` text NOT NULL, `workspace_id` text NOT NULL, `kind` text NOT NULL, `url` text NOT NULL DEFAULT (''), `include` json NOT NULL, `exclude` json NOT NULL, `max_depth` integer NOT NULL DEFAULT (0), `max_pages` integer NOT NULL DEFAULT (1), `schedule` text NOT NULL DEFAULT ('never'), `state` text NOT NULL, `reason` text NOT NULL DEFAULT (''), `attempts` integer NOT NULL DEFAULT (0), `due_at` datetime NULL, `synced_at` datetime NULL, `created_at` datetime NOT NULL, `chatbot_id` text NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `sources_chatbots_sources` FOREIGN KEY (`chatbot_id`) REFERENCES `chatbots` (`id`) ON DELETE CASCADE);
-- Create index "source_chatbot_id_created_at" to table: "sources"
CREATE INDEX `source_chatbot_id_created_at` ON `sources` (`chatbot_id`, `created_at`);
-- Create index "source_due" to table: "sources"
CREATE INDEX `source_due` ON `sources` (`workspace_id`, `due_at`) WHERE due_at IS NOT NULL;
-- Create "uploads" table
CREATE TABLE `uploads` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `workspace_id` text NOT NULL, `name` text NOT NULL, `content_type` text NOT NULL, `body` blob NOT NULL, `document_id` text NOT NULL, CONSTRAINT `uploads_documents_uploads` FOREIGN KEY (`document_id`) REFERENCES `documents` (`id`) ON DELETE CASCADE);
-- Create index "upload_document_id" to table: "uploads"
CREATE INDEX `upload_document_id` ON `uploads` (`document_id`);
-- Enable back the enforcement of foreign-keys constraints
PRAGMA foreign_keys = on;
-- What is indexed stays so; what waits is due.
UPDATE documents SET version = 1, input_hash = content_hash, live = CASE WHEN state = 'ready' THEN 1 ELSE 0 END,
	indexed = CASE WHEN state = 'ready' THEN passage_count ELSE 0 END, updated_at = created_at,
	due_at = CASE WHEN state IN ('pending', 'removing') THEN created_at END;
