-- Create "index_changes" table
CREATE TABLE `index_changes` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `workspace_id` text NOT NULL, `xid` integer NOT NULL, `chatbot_id` text NOT NULL, `document_id` text NOT NULL, `held` integer NOT NULL, `created_at` datetime NOT NULL);
-- Create index "indexchange_xid_id" to table: "index_changes"
CREATE INDEX `indexchange_xid_id` ON `index_changes` (`xid`, `id`);
-- Create index "indexchange_created_at" to table: "index_changes"
CREATE INDEX `indexchange_created_at` ON `index_changes` (`created_at`);
