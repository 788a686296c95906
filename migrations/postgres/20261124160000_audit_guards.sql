-- The audit log is append-only: whatever connects, entries are never changed, and only time takes them away, the oldest of a chain first and none of today.
CREATE FUNCTION "guard_audit_entries"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
	IF TG_OP = 'DELETE' THEN
		IF OLD.at < now() - interval '23 hours' AND (OLD.seq = 0 OR OLD.seq <= (SELECT kept_seq FROM audit_chains WHERE id = COALESCE(OLD.workspace_id, '-'))) THEN
			RETURN OLD;
		END IF;
		RAISE EXCEPTION 'only the oldest entries of the audit log are deleted' USING ERRCODE = 'insufficient_privilege';
	END IF;
	RAISE EXCEPTION 'entries of the audit log are never changed' USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER "audit_entry_guarded" BEFORE UPDATE OR DELETE ON "audit_entries" FOR EACH ROW EXECUTE FUNCTION guard_audit_entries();
CREATE TRIGGER "audit_entries_guarded" BEFORE TRUNCATE ON "audit_entries" FOR EACH STATEMENT EXECUTE FUNCTION guard_audit_entries();
CREATE FUNCTION "is_audit_entry"(chain text, place bigint, hash_of_it text) RETURNS boolean LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
	SELECT CASE WHEN chain = '-'
		THEN EXISTS (SELECT FROM audit_entries WHERE workspace_id IS NULL AND seq = place AND hash = hash_of_it)
		ELSE EXISTS (SELECT FROM audit_entries WHERE workspace_id = chain AND seq = place AND hash = hash_of_it) END
$$;
CREATE FUNCTION "guard_audit_chains"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
	IF TG_OP <> 'UPDATE' THEN
		RAISE EXCEPTION 'chains of the audit log are never deleted' USING ERRCODE = 'insufficient_privilege';
	END IF;
	IF NEW.id <> OLD.id OR NEW.seq < OLD.seq OR NEW.kept_seq < OLD.kept_seq OR NEW.kept_seq > NEW.seq
		OR (NEW.seq, NEW.hash) <> (OLD.seq, OLD.hash) AND NOT is_audit_entry(NEW.id, NEW.seq, NEW.hash)
		OR (NEW.kept_seq, NEW.kept_hash) <> (OLD.kept_seq, OLD.kept_hash) AND NOT is_audit_entry(NEW.id, NEW.kept_seq, NEW.kept_hash) THEN
		RAISE EXCEPTION 'chains of the audit log only grow, by their own entries' USING ERRCODE = 'insufficient_privilege';
	END IF;
	RETURN NEW;
END
$$;
CREATE TRIGGER "audit_chain_guarded" BEFORE UPDATE OR DELETE ON "audit_chains" FOR EACH ROW EXECUTE FUNCTION guard_audit_chains();
CREATE TRIGGER "audit_chains_guarded" BEFORE TRUNCATE ON "audit_chains" FOR EACH STATEMENT EXECUTE FUNCTION guard_audit_chains();
-- Time takes entries away through this function alone, with the rights of the tables' owner: the server has no right to delete them. It takes those of a chain up to one of them, or, where that has no place, those from before there were chains.
CREATE FUNCTION "forget_audit"(chain text, last_id bigint, last_seq bigint, last_hash text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
	gone bigint;
BEGIN
	IF last_seq > 0 THEN
		UPDATE audit_chains SET kept_seq = last_seq, kept_hash = last_hash WHERE id = chain;
	END IF;
	IF chain = '-' THEN
		DELETE FROM audit_entries WHERE workspace_id IS NULL AND id <= last_id;
	ELSE
		DELETE FROM audit_entries WHERE workspace_id = chain AND id <= last_id;
	END IF;
	GET DIAGNOSTICS gone = ROW_COUNT;
	RETURN gone;
END
$$;
