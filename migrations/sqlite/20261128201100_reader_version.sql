-- Add the version of the reader that made a document's content
ALTER TABLE `documents` ADD COLUMN `reader_version` integer NOT NULL DEFAULT (0);
-- The index of what is live has what an older reader has read, too.
DROP INDEX `document_chatbot_id_live`;
CREATE INDEX `document_live_reader` ON `documents` (`chatbot_id`, `live`, `kind`, `reader_version`);
