-- Add column "finish_reason" to table: "messages"
ALTER TABLE `messages` ADD COLUMN `finish_reason` text NOT NULL DEFAULT '';
-- Add column "finish_reason" to table: "receipts"
ALTER TABLE `receipts` ADD COLUMN `finish_reason` text NOT NULL DEFAULT '';
