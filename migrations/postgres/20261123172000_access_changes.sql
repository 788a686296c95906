-- Processes remember tokens with their chatbots and plans, and are told when these change, whoever changes them. The uses of a token are no change.
CREATE FUNCTION "note_access_change"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	was jsonb := to_jsonb(OLD);
	is_now jsonb := to_jsonb(NEW);
	workspace text := '';
BEGIN
	IF TG_TABLE_NAME = 'tokens' THEN
		was := was - '{last_used_at,last_used_ip,last_used_agent,warned_days}'::text[];
		is_now := is_now - '{last_used_at,last_used_ip,last_used_agent,warned_days}'::text[];
	END IF;
	IF is_now IS DISTINCT FROM was THEN
		IF TG_TABLE_NAME = 'workspaces' THEN
			workspace := was ->> 'id';
		ELSIF TG_TABLE_NAME <> 'plans' THEN
			workspace := was ->> 'workspace_id';
		END IF;
		PERFORM pg_notify('parley_access', workspace);
	END IF;
	RETURN NULL;
END
$$;
CREATE TRIGGER "token_changed" AFTER UPDATE OR DELETE ON "tokens" FOR EACH ROW EXECUTE FUNCTION note_access_change();
CREATE TRIGGER "chatbot_changed" AFTER UPDATE OR DELETE ON "chatbots" FOR EACH ROW EXECUTE FUNCTION note_access_change();
CREATE TRIGGER "workspace_changed" AFTER UPDATE OR DELETE ON "workspaces" FOR EACH ROW EXECUTE FUNCTION note_access_change();
CREATE TRIGGER "plan_changed" AFTER UPDATE OR DELETE ON "plans" FOR EACH ROW EXECUTE FUNCTION note_access_change();
