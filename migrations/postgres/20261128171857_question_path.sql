-- Modify "chatbots" table
ALTER TABLE "chatbots" ADD COLUMN "knowledge_version" bigint NOT NULL DEFAULT 0;
-- Drop index "token_published" from table: "tokens"
DROP INDEX "token_published";
-- A version of the knowledge comes with each change to what a chatbot answers from. One update of a chatbot for each statement: many documents of a source go at once.
CREATE FUNCTION "note_knowledge_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' THEN
		UPDATE chatbots SET knowledge_version = knowledge_version + 1 WHERE (id, workspace_id) IN (SELECT chatbot_id, workspace_id FROM was WHERE live <> 0);
	ELSE
		UPDATE chatbots SET knowledge_version = knowledge_version + 1
		WHERE (id, workspace_id) IN (SELECT n.chatbot_id, n.workspace_id FROM became n JOIN was o ON o.id = n.id WHERE n.live <> o.live);
	END IF;
	RETURN NULL;
END
$$;
CREATE TRIGGER "document_live" AFTER UPDATE ON "documents" REFERENCING OLD TABLE AS was NEW TABLE AS became
	FOR EACH STATEMENT EXECUTE FUNCTION note_knowledge_change();
CREATE TRIGGER "document_deleted" AFTER DELETE ON "documents" REFERENCING OLD TABLE AS was
	FOR EACH STATEMENT EXECUTE FUNCTION note_knowledge_change();
-- What processes remember of a chatbot is not changed by that.
CREATE OR REPLACE FUNCTION "note_access_change"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	was jsonb := to_jsonb(OLD);
	is_now jsonb := to_jsonb(NEW);
	workspace text := '';
BEGIN
	IF TG_TABLE_NAME = 'tokens' THEN
		was := was - '{last_used_at,last_used_ip,last_used_agent,warned_days}'::text[];
		is_now := is_now - '{last_used_at,last_used_ip,last_used_agent,warned_days}'::text[];
	END IF;
	IF TG_TABLE_NAME = 'chatbots' THEN
		was := was - 'knowledge_version';
		is_now := is_now - 'knowledge_version';
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
