-- Disable the enforcement of foreign-keys constraints
PRAGMA foreign_keys = off;
-- Create "new_invitations" table
CREATE TABLE `new_invitations` (`id` text NOT NULL, `email` text NOT NULL, `role` text NOT NULL, `code_hash` text NOT NULL, `invited_by` text NOT NULL DEFAULT (''), `expires_at` datetime NOT NULL, `created_at` datetime NOT NULL, `workspace_id` text NOT NULL, PRIMARY KEY (`id`), CONSTRAINT `invitations_workspaces_invitations` FOREIGN KEY (`workspace_id`) REFERENCES `workspaces` (`id`) ON DELETE CASCADE);
-- Copy rows from old table "invitations" to new temporary table "new_invitations"
INSERT INTO `new_invitations` (`id`, `email`, `role`, `code_hash`, `expires_at`, `created_at`, `workspace_id`) SELECT `id`, `email`, `role`, `code_hash`, `expires_at`, `created_at`, `workspace_id` FROM `invitations`;
-- Drop "invitations" table after copying rows
DROP TABLE `invitations`;
-- Rename temporary table "new_invitations" to "invitations"
ALTER TABLE `new_invitations` RENAME TO `invitations`;
-- Create index "invitations_code_hash_key" to table: "invitations"
CREATE UNIQUE INDEX `invitations_code_hash_key` ON `invitations` (`code_hash`);
-- Create index "invitation_workspace_id_email" to table: "invitations"
CREATE UNIQUE INDEX `invitation_workspace_id_email` ON `invitations` (`workspace_id`, `email`);
-- Create "account_mails" table
CREATE TABLE `account_mails` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `key` text NOT NULL, `recipient` text NOT NULL, `subject` text NOT NULL, `body` text NOT NULL DEFAULT (''), `due_at` datetime NULL, `attempts` integer NOT NULL DEFAULT (0), `sent_at` datetime NULL, `created_at` datetime NOT NULL);
-- Create index "account_mails_key_key" to table: "account_mails"
CREATE UNIQUE INDEX `account_mails_key_key` ON `account_mails` (`key`);
-- Create index "accountmail_due_at" to table: "account_mails"
CREATE INDEX `accountmail_due_at` ON `account_mails` (`due_at`);
-- Create "address_codes" table
CREATE TABLE `address_codes` (`id` text NOT NULL, `email` text NOT NULL, `user_id` text NOT NULL DEFAULT (''), `expires_at` datetime NOT NULL, `created_at` datetime NOT NULL, PRIMARY KEY (`id`));
-- Create index "addresscode_expires_at" to table: "address_codes"
CREATE INDEX `addresscode_expires_at` ON `address_codes` (`expires_at`);
-- Create index "addresscode_user_id" to table: "address_codes"
CREATE INDEX `addresscode_user_id` ON `address_codes` (`user_id`);
-- Create "devices" table
CREATE TABLE `devices` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `secret_hash` text NOT NULL, `expires_at` datetime NOT NULL, `created_at` datetime NOT NULL, `user_id` text NOT NULL, CONSTRAINT `devices_users_devices` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE);
-- Create index "device_secret_hash_user_id" to table: "devices"
CREATE UNIQUE INDEX `device_secret_hash_user_id` ON `devices` (`secret_hash`, `user_id`);
-- Create index "device_user_id" to table: "devices"
CREATE INDEX `device_user_id` ON `devices` (`user_id`);
-- Create index "device_expires_at" to table: "devices"
CREATE INDEX `device_expires_at` ON `devices` (`expires_at`);
-- Enable back the enforcement of foreign-keys constraints
PRAGMA foreign_keys = on;
