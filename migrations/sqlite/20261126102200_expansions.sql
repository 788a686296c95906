-- Add column "expansion" to table: "passages"
ALTER TABLE `passages` ADD COLUMN `expansion` blob NULL;
-- Create index "passage_unexpanded" to table: "passages"
CREATE INDEX `passage_unexpanded` ON `passages` (`workspace_id`, `id`) WHERE expansion IS NULL;
