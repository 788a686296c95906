-- Drop index "token_published" from table: "tokens"
DROP INDEX `token_published`;
-- Add column "knowledge_version" to table: "chatbots"
ALTER TABLE `chatbots` ADD COLUMN `knowledge_version` integer NOT NULL DEFAULT (0);
-- A version of the knowledge comes with each change to what a chatbot answers from. A migration that makes documents anew has to make these anew: TestKnowledgeVersion notices.
CREATE TRIGGER `document_live` AFTER UPDATE OF `live` ON `documents` WHEN NEW.`live` <> OLD.`live`
BEGIN UPDATE `chatbots` SET `knowledge_version` = `knowledge_version` + 1 WHERE `id` = NEW.`chatbot_id` AND `workspace_id` = NEW.`workspace_id`; END;
CREATE TRIGGER `document_deleted` AFTER DELETE ON `documents` WHEN OLD.`live` <> 0
BEGIN UPDATE `chatbots` SET `knowledge_version` = `knowledge_version` + 1 WHERE `id` = OLD.`chatbot_id` AND `workspace_id` = OLD.`workspace_id`; END;
