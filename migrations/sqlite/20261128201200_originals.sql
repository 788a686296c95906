-- Add the files of documents as they were uploaded, and whether a chatbot keeps them
ALTER TABLE `chatbots` ADD COLUMN `keep_files` bool NOT NULL DEFAULT (true);
ALTER TABLE `documents` ADD COLUMN `original` text NOT NULL DEFAULT ('');
CREATE INDEX `document_kept_reader` ON `documents` (`kind`, `reader_version`) WHERE original = 'kept';
CREATE TABLE `originals` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `workspace_id` text NOT NULL, `name` text NOT NULL, `content_type` text NOT NULL, `input_hash` text NOT NULL, `body` blob NOT NULL, `bytes` integer NOT NULL, `document_id` text NOT NULL, CONSTRAINT `originals_documents_originals` FOREIGN KEY (`document_id`) REFERENCES `documents` (`id`) ON DELETE CASCADE);
CREATE INDEX `original_of_document` ON `originals` (`document_id`, `workspace_id`, `id`);
CREATE INDEX `original_sizes` ON `originals` (`workspace_id`, `bytes`);
