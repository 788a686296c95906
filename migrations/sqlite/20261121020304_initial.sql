-- Create "chatbots" table
CREATE TABLE `chatbots` (`id` text NOT NULL, `name` text NOT NULL, `instructions` text NOT NULL DEFAULT (''), `no_answer` text NOT NULL DEFAULT (''), `image_hosts` json NOT NULL, `created_at` datetime NOT NULL, `workspace_id` text NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `chatbots_workspaces_chatbots` FOREIGN KEY (`workspace_id`) REFERENCES `workspaces` (`id`) ON DELETE CASCADE);
-- Create index "chatbot_workspace_id_created_at" to table: "chatbots"
CREATE INDEX `chatbot_workspace_id_created_at` ON `chatbots` (`workspace_id`, `created_at`);
-- Create "conversations" table
CREATE TABLE `conversations` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `workspace_id` text NOT NULL, `external_user_id` text NOT NULL DEFAULT (''), `status` text NOT NULL, `created_at` datetime NOT NULL, `chatbot_id` text NOT NULL, CONSTRAINT `conversations_chatbots_conversations` FOREIGN KEY (`chatbot_id`) REFERENCES `chatbots` (`id`) ON DELETE CASCADE);
-- Create index "conversation_chatbot_id_external_user_id" to table: "conversations"
CREATE INDEX `conversation_chatbot_id_external_user_id` ON `conversations` (`chatbot_id`, `external_user_id`);
-- Create "documents" table
CREATE TABLE `documents` (`id` text NOT NULL, `workspace_id` text NOT NULL, `title` text NOT NULL, `kind` text NOT NULL, `state` text NOT NULL, `reason` text NOT NULL DEFAULT (''), `content` text NOT NULL DEFAULT (''), `content_hash` text NOT NULL, `chars` integer NOT NULL, `passage_count` integer NOT NULL DEFAULT (0), `created_at` datetime NOT NULL, `chatbot_id` text NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `documents_chatbots_documents` FOREIGN KEY (`chatbot_id`) REFERENCES `chatbots` (`id`) ON DELETE CASCADE);
-- Create index "document_chatbot_id_created_at" to table: "documents"
CREATE INDEX `document_chatbot_id_created_at` ON `documents` (`chatbot_id`, `created_at`);
-- Create index "document_workspace_id" to table: "documents"
CREATE INDEX `document_workspace_id` ON `documents` (`workspace_id`);
-- Create index "document_unsettled" to table: "documents"
CREATE INDEX `document_unsettled` ON `documents` (`created_at`) WHERE state <> 'ready';
-- Create "invitations" table
CREATE TABLE `invitations` (`id` text NOT NULL, `email` text NOT NULL, `role` text NOT NULL, `code_hash` text NOT NULL, `expires_at` datetime NOT NULL, `created_at` datetime NOT NULL, `workspace_id` text NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `invitations_workspaces_invitations` FOREIGN KEY (`workspace_id`) REFERENCES `workspaces` (`id`) ON DELETE CASCADE);
-- Create index "invitations_code_hash_key" to table: "invitations"
CREATE UNIQUE INDEX `invitations_code_hash_key` ON `invitations` (`code_hash`);
-- Create index "invitation_workspace_id_email" to table: "invitations"
CREATE UNIQUE INDEX `invitation_workspace_id_email` ON `invitations` (`workspace_id`, `email`);
-- Create "members" table
CREATE TABLE `members` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `role` text NOT NULL, `created_at` datetime NOT NULL, `user_id` text NOT NULL, `workspace_id` text NOT NULL, CONSTRAINT `members_users_memberships` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE, CONSTRAINT `members_workspaces_members` FOREIGN KEY (`workspace_id`) REFERENCES `workspaces` (`id`) ON DELETE CASCADE);
-- Create index "member_workspace_id_user_id" to table: "members"
CREATE UNIQUE INDEX `member_workspace_id_user_id` ON `members` (`workspace_id`, `user_id`);
-- Create index "member_user_id" to table: "members"
CREATE INDEX `member_user_id` ON `members` (`user_id`);
-- Create "messages" table
CREATE TABLE `messages` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `workspace_id` text NOT NULL, `role` text NOT NULL, `content` text NOT NULL DEFAULT (''), `status` text NOT NULL, `model` text NOT NULL DEFAULT (''), `prompt_tokens` integer NOT NULL DEFAULT (0), `completion_tokens` integer NOT NULL DEFAULT (0), `usage_estimated` bool NOT NULL DEFAULT (false), `lease_until` datetime NULL, `created_at` datetime NOT NULL, `conversation_id` integer NOT NULL, CONSTRAINT `messages_conversations_messages` FOREIGN KEY (`conversation_id`) REFERENCES `conversations` (`id`) ON DELETE CASCADE);
-- Create index "message_conversation_id_id" to table: "messages"
CREATE INDEX `message_conversation_id_id` ON `messages` (`conversation_id`, `id`);
-- Create index "message_one_generating" to table: "messages"
CREATE UNIQUE INDEX `message_one_generating` ON `messages` (`conversation_id`) WHERE status = 'generating';
-- Create "passages" table
CREATE TABLE `passages` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `workspace_id` text NOT NULL, `chatbot_id` text NOT NULL, `ordinal` integer NOT NULL, `title` text NOT NULL, `heading_path` json NOT NULL, `text` text NOT NULL DEFAULT (''), `document_id` text NOT NULL, CONSTRAINT `passages_documents_passages` FOREIGN KEY (`document_id`) REFERENCES `documents` (`id`) ON DELETE CASCADE);
-- Create index "passage_document_id_ordinal" to table: "passages"
CREATE UNIQUE INDEX `passage_document_id_ordinal` ON `passages` (`document_id`, `ordinal`);
-- Create "plans" table
CREATE TABLE `plans` (`id` text NOT NULL, `title` text NOT NULL, `rank` integer NOT NULL, `api_access` bool NOT NULL, `chatbots` integer NOT NULL, `members` integer NOT NULL, `tokens_per_chatbot` integer NOT NULL, `message_chars` integer NOT NULL, `knowledge_chars` integer NOT NULL, PRIMARY KEY (`id`));
-- Create index "plans_rank_key" to table: "plans"
CREATE UNIQUE INDEX `plans_rank_key` ON `plans` (`rank`);
-- Create "sessions" table
CREATE TABLE `sessions` (`id` text NOT NULL, `last_seen_at` datetime NOT NULL, `expires_at` datetime NOT NULL, `created_at` datetime NOT NULL, `user_id` text NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `sessions_users_sessions` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE);
-- Create index "session_user_id" to table: "sessions"
CREATE INDEX `session_user_id` ON `sessions` (`user_id`);
-- Create index "session_expires_at" to table: "sessions"
CREATE INDEX `session_expires_at` ON `sessions` (`expires_at`);
-- Create "sign_in_attempts" table
CREATE TABLE `sign_in_attempts` (`id` text NOT NULL, `failures` integer NOT NULL, `last_at` datetime NOT NULL, PRIMARY KEY (`id`));
-- Create index "signinattempt_last_at" to table: "sign_in_attempts"
CREATE INDEX `signinattempt_last_at` ON `sign_in_attempts` (`last_at`);
-- Create "tokens" table
CREATE TABLE `tokens` (`id` text NOT NULL, `workspace_id` text NOT NULL, `name` text NOT NULL, `hint` text NOT NULL, `hash` text NOT NULL, `scopes` json NOT NULL, `created_by` text NOT NULL, `last_used_at` datetime NULL, `expires_at` datetime NULL, `revoked_at` datetime NULL, `created_at` datetime NOT NULL, `chatbot_id` text NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `tokens_chatbots_tokens` FOREIGN KEY (`chatbot_id`) REFERENCES `chatbots` (`id`) ON DELETE CASCADE);
-- Create index "tokens_hash_key" to table: "tokens"
CREATE UNIQUE INDEX `tokens_hash_key` ON `tokens` (`hash`);
-- Create index "token_chatbot_id_created_at" to table: "tokens"
CREATE INDEX `token_chatbot_id_created_at` ON `tokens` (`chatbot_id`, `created_at`);
-- Create "users" table
CREATE TABLE `users` (`id` text NOT NULL, `email` text NOT NULL, `password_hash` text NOT NULL, `created_at` datetime NOT NULL, PRIMARY KEY (`id`));
-- Create index "users_email_key" to table: "users"
CREATE UNIQUE INDEX `users_email_key` ON `users` (`email`);
-- Create "workspaces" table
CREATE TABLE `workspaces` (`id` text NOT NULL, `name` text NOT NULL, `plan` text NOT NULL, `created_at` datetime NOT NULL, PRIMARY KEY (`id`));
