-- The audit log is append-only: whatever writes to the file, entries are never changed, and only time takes them away, the oldest of a chain first and none of today. A migration that makes one of the two tables anew has to make its guards anew: TestAuditGuards notices.
CREATE TRIGGER `audit_entry_changed` BEFORE UPDATE ON `audit_entries` BEGIN SELECT RAISE(ABORT, 'entries of the audit log are never changed'); END;
CREATE TRIGGER `audit_entry_deleted` BEFORE DELETE ON `audit_entries`
WHEN datetime(OLD.`at`) > datetime('now', '-23 hours') OR OLD.`seq` > 0 AND OLD.`seq` > COALESCE((SELECT `kept_seq` FROM `audit_chains` WHERE `id` = COALESCE(OLD.`workspace_id`, '-')), 0)
BEGIN SELECT RAISE(ABORT, 'only the oldest entries of the audit log are deleted'); END;
CREATE TRIGGER `audit_chain_deleted` BEFORE DELETE ON `audit_chains` BEGIN SELECT RAISE(ABORT, 'chains of the audit log are never deleted'); END;
CREATE TRIGGER `audit_chain_moved` BEFORE UPDATE ON `audit_chains`
WHEN NEW.`id` <> OLD.`id` OR NEW.`seq` < OLD.`seq` OR NEW.`kept_seq` < OLD.`kept_seq` OR NEW.`kept_seq` > NEW.`seq`
	OR (NEW.`seq` <> OLD.`seq` OR NEW.`hash` <> OLD.`hash`) AND NOT EXISTS (SELECT 1 FROM `audit_entries` WHERE `workspace_id` IS NULLIF(NEW.`id`, '-') AND `seq` = NEW.`seq` AND `hash` = NEW.`hash`)
	OR (NEW.`kept_seq` <> OLD.`kept_seq` OR NEW.`kept_hash` <> OLD.`kept_hash`) AND NOT EXISTS (SELECT 1 FROM `audit_entries` WHERE `workspace_id` IS NULLIF(NEW.`id`, '-') AND `seq` = NEW.`kept_seq` AND `hash` = NEW.`kept_hash`)
BEGIN SELECT RAISE(ABORT, 'chains of the audit log only grow, by their own entries'); END;
