-- Disable the enforcement of foreign-keys constraints
PRAGMA foreign_keys = off;
-- Create "new_audit_entries" table
CREATE TABLE `new_audit_entries` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `workspace_id` text NULL, `actor` text NOT NULL, `user_id` text NOT NULL DEFAULT (''), `action` text NOT NULL, `object_kind` text NOT NULL DEFAULT (''), `object_id` text NOT NULL DEFAULT (''), `object_name` text NOT NULL DEFAULT (''), `detail` text NOT NULL, `changes` json NULL, `address` text NOT NULL DEFAULT (''), `request_id` text NOT NULL DEFAULT (''), `at` datetime NOT NULL);
-- Copy rows from old table "audit_entries" to new temporary table "new_audit_entries"
INSERT INTO `new_audit_entries` (`id`, `workspace_id`, `actor`, `action`, `detail`, `at`) SELECT `id`, `workspace_id`, `actor`, `action`, `detail`, `at` FROM `audit_entries`;
-- Drop "audit_entries" table after copying rows
DROP TABLE `audit_entries`;
-- Rename temporary table "new_audit_entries" to "audit_entries"
ALTER TABLE `new_audit_entries` RENAME TO `audit_entries`;
-- Create index "auditentry_workspace_id_id" to table: "audit_entries"
CREATE INDEX `auditentry_workspace_id_id` ON `audit_entries` (`workspace_id`, `id`);
-- Create index "auditentry_at" to table: "audit_entries"
CREATE INDEX `auditentry_at` ON `audit_entries` (`at`);
-- Enable back the enforcement of foreign-keys constraints
PRAGMA foreign_keys = on;
