-- An entry of the audit log is never changed, but that its network address and the address's salt are taken away together once it is old enough. Entries of version 1 have the address in their hash, and keep it.
CREATE OR REPLACE FUNCTION "guard_audit_entries"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
	unaddressed audit_entries%ROWTYPE;
BEGIN
	IF TG_OP = 'DELETE' THEN
		IF OLD.at < now() - interval '23 hours' AND (OLD.seq = 0 OR OLD.seq <= (SELECT kept_seq FROM audit_chains WHERE id = COALESCE(OLD.workspace_id, '-'))) THEN
			RETURN OLD;
		END IF;
		RAISE EXCEPTION 'only the oldest entries of the audit log are deleted' USING ERRCODE = 'insufficient_privilege';
	END IF;
	IF TG_OP = 'UPDATE' THEN
		unaddressed := OLD;
		unaddressed.address := '';
		unaddressed.address_salt := '';
		IF NEW IS NOT DISTINCT FROM unaddressed AND OLD.address <> '' AND OLD.at < now() - interval '28 days' AND (OLD.seq = 0 OR OLD.version > 1) THEN
			RETURN NEW;
		END IF;
	END IF;
	RAISE EXCEPTION 'entries of the audit log are never changed' USING ERRCODE = 'insufficient_privilege';
END
$$;
-- Time takes addresses away through this function alone, with the rights of the table's owner: the server has no right to change entries. It takes them from at most so many entries of before a time.
CREATE FUNCTION "forget_audit_addresses"(before timestamptz, most bigint) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
	gone bigint;
BEGIN
	UPDATE audit_entries SET address = '', address_salt = '' WHERE id IN (
		SELECT id FROM audit_entries WHERE address <> '' AND at < before AND (seq = 0 OR version > 1) ORDER BY at LIMIT most FOR UPDATE SKIP LOCKED
	);
	GET DIAGNOSTICS gone = ROW_COUNT;
	RETURN gone;
END
$$;
