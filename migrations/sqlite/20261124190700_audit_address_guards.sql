-- An entry of the audit log is never changed, but that its network address and the address's salt are taken away together once it is old enough. Entries of version 1 have the address in their hash, and keep it.
DROP TRIGGER `audit_entry_changed`;
CREATE TRIGGER `audit_entry_changed` BEFORE UPDATE OF `id`, `workspace_id`, `actor`, `user_id`, `action`, `object_kind`, `object_id`, `object_name`, `detail`, `changes`, `request_id`, `at`, `seq`, `hash`, `address_hash`, `version` ON `audit_entries`
BEGIN SELECT RAISE(ABORT, 'entries of the audit log are never changed'); END;
CREATE TRIGGER `audit_address_changed` BEFORE UPDATE OF `address`, `address_salt` ON `audit_entries`
WHEN NEW.`address` <> '' OR NEW.`address_salt` <> '' OR OLD.`address` = '' OR datetime(OLD.`at`) > datetime('now', '-28 days') OR OLD.`seq` > 0 AND OLD.`version` < 2
BEGIN SELECT RAISE(ABORT, 'only old addresses are removed from the audit log'); END;
