-- Add columns to "audit_entries" table, in place: made anew, it would lose its guards, and those of "audit_chains" would find no table meanwhile
ALTER TABLE `audit_entries` ADD COLUMN `address_hash` text NOT NULL DEFAULT ('');
ALTER TABLE `audit_entries` ADD COLUMN `address_salt` text NOT NULL DEFAULT ('');
ALTER TABLE `audit_entries` ADD COLUMN `version` integer NOT NULL DEFAULT (1);
-- Create index "auditentry_addressed" to table: "audit_entries"
CREATE INDEX `auditentry_addressed` ON `audit_entries` (`at`) WHERE address <> '';
