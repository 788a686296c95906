-- Add what of a document's file or page was not read
ALTER TABLE `documents` ADD COLUMN `notes` text NOT NULL DEFAULT ('');
