-- Disable the enforcement of foreign-keys constraints
PRAGMA foreign_keys = off;
-- Create "new_sessions" table
CREATE TABLE `new_sessions` (`id` text NOT NULL, `last_seen_at` datetime NOT NULL, `expires_at` datetime NOT NULL, `user_agent` text NOT NULL DEFAULT (''), `network` text NOT NULL DEFAULT (''), `last_network` text NOT NULL DEFAULT (''), `proved_at` datetime NULL, `method` text NOT NULL DEFAULT ('password'), `second_factor` bool NOT NULL DEFAULT (false), `created_at` datetime NOT NULL, `user_id` text NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `sessions_users_sessions` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE);
-- Copy rows from old table "sessions" to new temporary table "new_sessions"
INSERT INTO `new_sessions` (`id`, `last_seen_at`, `expires_at`, `user_agent`, `network`, `created_at`, `user_id`) SELECT `id`, `last_seen_at`, `expires_at`, `user_agent`, `network`, `created_at`, `user_id` FROM `sessions`;
-- Drop "sessions" table after copying rows
DROP TABLE `sessions`;
-- Rename temporary table "new_sessions" to "sessions"
ALTER TABLE `new_sessions` RENAME TO `sessions`;
-- Create index "session_user_id" to table: "sessions"
CREATE INDEX `session_user_id` ON `sessions` (`user_id`);
-- Create index "session_expires_at" to table: "sessions"
CREATE INDEX `session_expires_at` ON `sessions` (`expires_at`);
-- Add column "email_confirmed_at" to table: "users"
ALTER TABLE `users` ADD COLUMN `email_confirmed_at` datetime NULL;
-- Create "new_workspaces" table
CREATE TABLE `new_workspaces` (`id` text NOT NULL, `name` text NOT NULL, `plan` text NOT NULL, `granted_plan` text NOT NULL DEFAULT ('starter'), `granted_until` datetime NULL, `kept_before` datetime NULL, `kept_days` integer NOT NULL DEFAULT (0), `delete_at` datetime NULL, `second_factor_required` bool NOT NULL DEFAULT (false), `created_at` datetime NOT NULL, PRIMARY KEY (`id`));
-- Copy rows from old table "workspaces" to new temporary table "new_workspaces"
INSERT INTO `new_workspaces` (`id`, `name`, `plan`, `granted_plan`, `granted_until`, `kept_before`, `kept_days`, `created_at`) SELECT `id`, `name`, `plan`, `granted_plan`, `granted_until`, `kept_before`, `kept_days`, `created_at` FROM `workspaces`;
-- Drop "workspaces" table after copying rows
DROP TABLE `workspaces`;
-- Rename temporary table "new_workspaces" to "workspaces"
ALTER TABLE `new_workspaces` RENAME TO `workspaces`;
-- Create index "workspace_granted_until" to table: "workspaces"
CREATE INDEX `workspace_granted_until` ON `workspaces` (`granted_until`);
-- Create index "workspace_delete_at" to table: "workspaces"
CREATE INDEX `workspace_delete_at` ON `workspaces` (`delete_at`);
-- Create index "workspace_created_at_id" to table: "workspaces"
CREATE INDEX `workspace_created_at_id` ON `workspaces` (`created_at`, `id`);
-- Create "new_mails" table
CREATE TABLE `new_mails` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `key` text NOT NULL, `recipient` text NOT NULL, `subject` text NOT NULL, `body` text NOT NULL DEFAULT (''), `html` text NOT NULL DEFAULT (''), `due_at` datetime NULL, `attempts` integer NOT NULL DEFAULT (0), `sent_at` datetime NULL, `created_at` datetime NOT NULL, `workspace_id` text NOT NULL, CONSTRAINT `mails_workspaces_mails` FOREIGN KEY (`workspace_id`) REFERENCES `workspaces` (`id`) ON DELETE CASCADE);
-- Copy rows from old table "mails" to new temporary table "new_mails"
INSERT INTO `new_mails` (`id`, `key`, `recipient`, `subject`, `body`, `due_at`, `attempts`, `sent_at`, `created_at`, `workspace_id`) SELECT `id`, `key`, `recipient`, `subject`, `body`, `due_at`, `attempts`, `sent_at`, `created_at`, `workspace_id` FROM `mails`;
-- Drop "mails" table after copying rows
DROP TABLE `mails`;
-- Rename temporary table "new_mails" to "mails"
ALTER TABLE `new_mails` RENAME TO `mails`;
-- Create index "mails_key_key" to table: "mails"
CREATE UNIQUE INDEX `mails_key_key` ON `mails` (`key`);
-- Create index "mail_due_at" to table: "mails"
CREATE INDEX `mail_due_at` ON `mails` (`due_at`);
-- Create index "mail_workspace_id" to table: "mails"
CREATE INDEX `mail_workspace_id` ON `mails` (`workspace_id`);
-- Create "new_account_mails" table
CREATE TABLE `new_account_mails` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `key` text NOT NULL, `recipient` text NOT NULL, `subject` text NOT NULL, `body` text NOT NULL DEFAULT (''), `html` text NOT NULL DEFAULT (''), `due_at` datetime NULL, `attempts` integer NOT NULL DEFAULT (0), `sent_at` datetime NULL, `created_at` datetime NOT NULL);
-- Copy rows from old table "account_mails" to new temporary table "new_account_mails"
INSERT INTO `new_account_mails` (`id`, `key`, `recipient`, `subject`, `body`, `due_at`, `attempts`, `sent_at`, `created_at`) SELECT `id`, `key`, `recipient`, `subject`, `body`, `due_at`, `attempts`, `sent_at`, `created_at` FROM `account_mails`;
-- Drop "account_mails" table after copying rows
DROP TABLE `account_mails`;
-- Rename temporary table "new_account_mails" to "account_mails"
ALTER TABLE `new_account_mails` RENAME TO `account_mails`;
-- Create index "account_mails_key_key" to table: "account_mails"
CREATE UNIQUE INDEX `account_mails_key_key` ON `account_mails` (`key`);
-- Create index "accountmail_due_at" to table: "account_mails"
CREATE INDEX `accountmail_due_at` ON `account_mails` (`due_at`);
-- Create "new_address_codes" table
CREATE TABLE `new_address_codes` (`id` text NOT NULL, `email` text NOT NULL, `user_id` text NOT NULL DEFAULT (''), `purpose` text NOT NULL DEFAULT (''), `expires_at` datetime NOT NULL, `created_at` datetime NOT NULL, PRIMARY KEY (`id`));
-- Copy rows from old table "address_codes" to new temporary table "new_address_codes"
INSERT INTO `new_address_codes` (`id`, `email`, `user_id`, `expires_at`, `created_at`) SELECT `id`, `email`, `user_id`, `expires_at`, `created_at` FROM `address_codes`;
-- Drop "address_codes" table after copying rows
DROP TABLE `address_codes`;
-- Rename temporary table "new_address_codes" to "address_codes"
ALTER TABLE `new_address_codes` RENAME TO `address_codes`;
-- Create index "addresscode_expires_at" to table: "address_codes"
CREATE INDEX `addresscode_expires_at` ON `address_codes` (`expires_at`);
-- Create index "addresscode_user_id" to table: "address_codes"
CREATE INDEX `addresscode_user_id` ON `address_codes` (`user_id`);
-- Create "new_audit_entries" table
CREATE TABLE `new_audit_entries` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `workspace_id` text NULL, `actor` text NOT NULL, `user_id` text NOT NULL DEFAULT (''), `action` text NOT NULL, `object_kind` text NOT NULL DEFAULT (''), `object_id` text NOT NULL DEFAULT (''), `object_name` text NOT NULL DEFAULT (''), `detail` text NOT NULL, `changes` json NULL, `address` text NOT NULL DEFAULT (''), `request_id` text NOT NULL DEFAULT (''), `at` datetime NOT NULL, `seq` integer NOT NULL DEFAULT (0), `hash` text NOT NULL DEFAULT (''));
-- Copy rows from old table "audit_entries" to new temporary table "new_audit_entries"
INSERT INTO `new_audit_entries` (`id`, `workspace_id`, `actor`, `user_id`, `action`, `object_kind`, `object_id`, `object_name`, `detail`, `changes`, `address`, `request_id`, `at`) SELECT `id`, `workspace_id`, `actor`, `user_id`, `action`, `object_kind`, `object_id`, `object_name`, `detail`, `changes`, `address`, `request_id`, `at` FROM `audit_entries`;
-- Drop "audit_entries" table after copying rows
DROP TABLE `audit_entries`;
-- Rename temporary table "new_audit_entries" to "audit_entries"
ALTER TABLE `new_audit_entries` RENAME TO `audit_entries`;
-- Create index "auditentry_workspace_id_id" to table: "audit_entries"
CREATE INDEX `auditentry_workspace_id_id` ON `audit_entries` (`workspace_id`, `id`);
-- Create index "auditentry_at" to table: "audit_entries"
CREATE INDEX `auditentry_at` ON `audit_entries` (`at`);
-- Create index "auditentry_workspace_id_seq" to table: "audit_entries"
CREATE INDEX `auditentry_workspace_id_seq` ON `audit_entries` (`workspace_id`, `seq`);
-- Create "new_chatbots" table
CREATE TABLE `new_chatbots` (`id` text NOT NULL, `name` text NOT NULL, `instructions` text NOT NULL DEFAULT (''), `no_answer` text NOT NULL DEFAULT (''), `image_hosts` json NOT NULL, `passage_aim` integer NOT NULL DEFAULT (0), `passage_limit` integer NOT NULL DEFAULT (0), `answer_without_knowledge` bool NOT NULL DEFAULT (false), `separate_end_users` bool NOT NULL DEFAULT (false), `provider_id` text NOT NULL DEFAULT (''), `model` text NOT NULL DEFAULT (''), `fallback_provider_id` text NOT NULL DEFAULT (''), `fallback_model` text NOT NULL DEFAULT (''), `temperature` real NULL, `max_answer_tokens` integer NOT NULL DEFAULT (0), `grounding` text NOT NULL DEFAULT ('open'), `cache_answers` bool NOT NULL DEFAULT (false), `store_messages` bool NOT NULL DEFAULT (true), `retention_days` integer NOT NULL DEFAULT (-1), `kept` bool NOT NULL DEFAULT (false), `over_limit` bool NOT NULL DEFAULT (false), `created_at` datetime NOT NULL, `workspace_id` text NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `chatbots_workspaces_chatbots` FOREIGN KEY (`workspace_id`) REFERENCES `workspaces` (`id`) ON DELETE CASCADE);
-- Copy rows from old table "chatbots" to new temporary table "new_chatbots"
INSERT INTO `new_chatbots` (`id`, `name`, `instructions`, `no_answer`, `image_hosts`, `passage_aim`, `passage_limit`, `answer_without_knowledge`, `separate_end_users`, `provider_id`, `model`, `fallback_provider_id`, `fallback_model`, `temperature`, `max_answer_tokens`, `grounding`, `cache_answers`, `kept`, `over_limit`, `created_at`, `workspace_id`) SELECT `id`, `name`, `instructions`, `no_answer`, `image_hosts`, `passage_aim`, `passage_limit`, `answer_without_knowledge`, `separate_end_users`, `provider_id`, `model`, `fallback_provider_id`, `fallback_model`, `temperature`, `max_answer_tokens`, `grounding`, `cache_answers`, `kept`, `over_limit`, `created_at`, `workspace_id` FROM `chatbots`;
-- Drop "chatbots" table after copying rows
DROP TABLE `chatbots`;
-- Rename temporary table "new_chatbots" to "chatbots"
ALTER TABLE `new_chatbots` RENAME TO `chatbots`;
-- Create index "chatbot_workspace_id_created_at" to table: "chatbots"
CREATE INDEX `chatbot_workspace_id_created_at` ON `chatbots` (`workspace_id`, `created_at`);
-- Create "new_plans" table
CREATE TABLE `new_plans` (`id` text NOT NULL, `title` text NOT NULL, `rank` integer NOT NULL, `features` json NOT NULL DEFAULT '[]', `chatbots` integer NOT NULL, `members` integer NOT NULL, `tokens_per_chatbot` integer NOT NULL, `message_chars` integer NOT NULL, `messages_per_month` integer NOT NULL DEFAULT (-1), `playground_per_month` integer NOT NULL DEFAULT (-1), `knowledge_chars` integer NOT NULL, `stored_bytes` integer NOT NULL DEFAULT (-1), `requests_per_minute` integer NOT NULL DEFAULT (-1), `concurrent_answers` integer NOT NULL DEFAULT (-1), `retention_days` integer NOT NULL DEFAULT (-1), `audit_days` integer NOT NULL DEFAULT (-1), `monthly_price` integer NOT NULL DEFAULT (-1), `yearly_price` integer NOT NULL DEFAULT (-1), `currency` text NOT NULL DEFAULT ('usd'), `sold_monthly_price` integer NOT NULL DEFAULT (-1), `sold_yearly_price` integer NOT NULL DEFAULT (-1), `sold_currency` text NOT NULL DEFAULT (''), PRIMARY KEY (`id`));
-- Copy rows from old table "plans" to new temporary table "new_plans"
INSERT INTO `new_plans` (`id`, `title`, `rank`, `features`, `chatbots`, `members`, `tokens_per_chatbot`, `message_chars`, `messages_per_month`, `playground_per_month`, `knowledge_chars`, `stored_bytes`, `requests_per_minute`, `concurrent_answers`, `retention_days`, `monthly_price`, `yearly_price`, `currency`, `sold_monthly_price`, `sold_yearly_price`, `sold_currency`) SELECT `id`, `title`, `rank`, `features`, `chatbots`, `members`, `tokens_per_chatbot`, `message_chars`, `messages_per_month`, `playground_per_month`, `knowledge_chars`, `stored_bytes`, `requests_per_minute`, `concurrent_answers`, `retention_days`, `monthly_price`, `yearly_price`, `currency`, `sold_monthly_price`, `sold_yearly_price`, `sold_currency` FROM `plans`;
-- Drop "plans" table after copying rows
DROP TABLE `plans`;
-- Rename temporary table "new_plans" to "plans"
ALTER TABLE `new_plans` RENAME TO `plans`;
-- Create index "plans_rank_key" to table: "plans"
CREATE UNIQUE INDEX `plans_rank_key` ON `plans` (`rank`);
-- Create "audit_chains" table
CREATE TABLE `audit_chains` (`id` text NOT NULL, `seq` integer NOT NULL, `hash` text NOT NULL, `kept_seq` integer NOT NULL DEFAULT (0), `kept_hash` text NOT NULL DEFAULT (''), PRIMARY KEY (`id`));
-- Create "authenticators" table
CREATE TABLE `authenticators` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `secret` blob NOT NULL, `confirmed_at` datetime NULL, `last_step` integer NOT NULL DEFAULT (0), `created_at` datetime NOT NULL, `user_id` text NOT NULL, CONSTRAINT `authenticators_users_authenticators` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE);
-- Create index "authenticator_user_id" to table: "authenticators"
CREATE UNIQUE INDEX `authenticator_user_id` ON `authenticators` (`user_id`);
-- Create "erasures" table
CREATE TABLE `erasures` (`id` text NOT NULL, `workspace_id` text NULL, `kind` text NOT NULL, `subject_hash` text NOT NULL, `requested_by` text NOT NULL DEFAULT (''), `erased` json NOT NULL DEFAULT '{}', `remaining` json NOT NULL DEFAULT '{}', `done_at` datetime NULL, `created_at` datetime NOT NULL, PRIMARY KEY (`id`));
-- Create index "erasure_workspace_id_created_at" to table: "erasures"
CREATE INDEX `erasure_workspace_id_created_at` ON `erasures` (`workspace_id`, `created_at`);
-- Create index "erasure_done_at" to table: "erasures"
CREATE INDEX `erasure_done_at` ON `erasures` (`done_at`);
-- Create "identities" table
CREATE TABLE `identities` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `issuer` text NOT NULL, `subject` text NOT NULL, `connection_id` text NOT NULL DEFAULT (''), `last_used_at` datetime NULL, `created_at` datetime NOT NULL, `user_id` text NOT NULL, CONSTRAINT `identities_users_identities` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE);
-- Create index "identity_issuer_subject_connection_id" to table: "identities"
CREATE UNIQUE INDEX `identity_issuer_subject_connection_id` ON `identities` (`issuer`, `subject`, `connection_id`);
-- Create index "identity_user_id" to table: "identities"
CREATE INDEX `identity_user_id` ON `identities` (`user_id`);
-- Create "passkeys" table
CREATE TABLE `passkeys` (`id` text NOT NULL, `credential_id` text NOT NULL, `credential` text NOT NULL DEFAULT (''), `name` text NOT NULL, `last_used_at` datetime NULL, `created_at` datetime NOT NULL, `user_id` text NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `passkeys_users_passkeys` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE);
-- Create index "passkeys_credential_id_key" to table: "passkeys"
CREATE UNIQUE INDEX `passkeys_credential_id_key` ON `passkeys` (`credential_id`);
-- Create index "passkey_user_id" to table: "passkeys"
CREATE INDEX `passkey_user_id` ON `passkeys` (`user_id`);
-- Create "recovery_codes" table
CREATE TABLE `recovery_codes` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `code_hash` text NOT NULL, `used_at` datetime NULL, `created_at` datetime NOT NULL, `user_id` text NOT NULL, CONSTRAINT `recovery_codes_users_recovery_codes` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE);
-- Create index "recoverycode_user_id_code_hash" to table: "recovery_codes"
CREATE UNIQUE INDEX `recoverycode_user_id_code_hash` ON `recovery_codes` (`user_id`, `code_hash`);
-- Create "sso_connections" table
CREATE TABLE `sso_connections` (`id` text NOT NULL, `issuer` text NOT NULL, `client_id` text NOT NULL, `client_secret` blob NOT NULL, `domain` text NOT NULL, `domain_code` text NOT NULL, `domain_confirmed_at` datetime NULL, `role` text NOT NULL DEFAULT (''), `required` bool NOT NULL DEFAULT (false), `created_at` datetime NOT NULL, `workspace_id` text NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `sso_connections_workspaces_sso_connections` FOREIGN KEY (`workspace_id`) REFERENCES `workspaces` (`id`) ON DELETE CASCADE);
-- Create index "ssoconnection_workspace_id" to table: "sso_connections"
CREATE UNIQUE INDEX `ssoconnection_workspace_id` ON `sso_connections` (`workspace_id`);
-- Create index "sso_connection_domain" to table: "sso_connections"
CREATE UNIQUE INDEX `sso_connection_domain` ON `sso_connections` (`domain`) WHERE domain_confirmed_at IS NOT NULL;
-- Create "sign_in_steps" table
CREATE TABLE `sign_in_steps` (`id` text NOT NULL, `kind` text NOT NULL, `user_id` text NOT NULL DEFAULT (''), `data` text NOT NULL DEFAULT (''), `failures` integer NOT NULL DEFAULT (0), `expires_at` datetime NOT NULL, `created_at` datetime NOT NULL, PRIMARY KEY (`id`));
-- Create index "signinstep_expires_at" to table: "sign_in_steps"
CREATE INDEX `signinstep_expires_at` ON `sign_in_steps` (`expires_at`);
-- Create index "signinstep_user_id" to table: "sign_in_steps"
CREATE INDEX `signinstep_user_id` ON `sign_in_steps` (`user_id`);
-- Addresses that people have signed in with until now count as confirmed
UPDATE `users` SET `email_confirmed_at` = `created_at`;
-- A session began with a password
UPDATE `sessions` SET `proved_at` = `created_at`;
-- Enable back the enforcement of foreign-keys constraints
PRAGMA foreign_keys = on;
