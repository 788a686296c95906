-- Add column "bytes" to table: "documents"
ALTER TABLE `documents` ADD COLUMN `bytes` integer NOT NULL DEFAULT 0;
-- Add column "search_text" to table: "documents"
ALTER TABLE `documents` ADD COLUMN `search_text` text NOT NULL DEFAULT '';
-- What the documents that are there have: see searchText in package store.
UPDATE `documents` SET `bytes` = octet_length(`content`), `search_text` = lower(substr(`title` || char(10) || `url`, 1, 500));
-- Drop index "document_chatbot_id_created_at" from table: "documents"
DROP INDEX `document_chatbot_id_created_at`;
-- Drop index "document_workspace_id" from table: "documents"
DROP INDEX `document_workspace_id`;
-- Create index "document_list" to table: "documents"
CREATE INDEX `document_list` ON `documents` (`chatbot_id`, `created_at`, `id`, `state`, `search_text`);
-- Create index "document_sizes" to table: "documents"
CREATE INDEX `document_sizes` ON `documents` (`workspace_id`, `chars`, `bytes`);
-- Add column "bytes" to table: "uploads"
ALTER TABLE `uploads` ADD COLUMN `bytes` integer NOT NULL DEFAULT 0;
-- What the files that are there have.
UPDATE `uploads` SET `bytes` = octet_length(`body`);
-- Drop index "upload_workspace_id" from table: "uploads"
DROP INDEX `upload_workspace_id`;
-- Create index "upload_sizes" to table: "uploads"
CREATE INDEX `upload_sizes` ON `uploads` (`workspace_id`, `bytes`);
-- Create "usage_sums" table
CREATE TABLE `usage_sums` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `workspace_id` text NOT NULL, `month` text NOT NULL, `chatbot_id` text NOT NULL, `model` text NOT NULL, `status` text NOT NULL, `answers` integer NOT NULL DEFAULT (0), `estimated` integer NOT NULL DEFAULT (0), `prompt_tokens` integer NOT NULL DEFAULT (0), `completion_tokens` integer NOT NULL DEFAULT (0), `refuted` integer NOT NULL DEFAULT (0), `first_token_ms` integer NOT NULL DEFAULT (0), `first_tokens` integer NOT NULL DEFAULT (0), `total_ms` integer NOT NULL DEFAULT (0), `totals` integer NOT NULL DEFAULT (0));
-- Create index "usage_sum_of_month" to table: "usage_sums"
CREATE UNIQUE INDEX `usage_sum_of_month` ON `usage_sums` (`workspace_id`, `month`, `chatbot_id`, `model`, `status`);
-- The usage records that are counted already are in the sums.
INSERT INTO `usage_sums` (`workspace_id`, `month`, `chatbot_id`, `model`, `status`, `answers`, `estimated`, `prompt_tokens`, `completion_tokens`, `refuted`, `first_token_ms`, `first_tokens`, `total_ms`, `totals`)
SELECT `workspace_id`, substr(`created_at`, 1, 7), `chatbot_id`, `model`, `status`, COUNT(*), SUM(CASE WHEN `estimated` THEN 1 ELSE 0 END), SUM(`prompt_tokens`), SUM(`completion_tokens`), SUM(`refuted`), SUM(`first_token_ms`), COUNT(NULLIF(`first_token_ms`, 0)), SUM(`total_ms`), COUNT(NULLIF(`total_ms`, 0))
FROM `receipts` WHERE `counted` GROUP BY 1, 2, 3, 4, 5;
