-- Add column "begun" to table: "documents"
ALTER TABLE `documents` ADD COLUMN `begun` integer NOT NULL DEFAULT (0);
-- Add column "begun" to table: "passages"
ALTER TABLE `passages` ADD COLUMN `begun` integer NOT NULL DEFAULT (0);
-- Add column "begun" to table: "sources"
ALTER TABLE `sources` ADD COLUMN `begun` integer NOT NULL DEFAULT (0);
-- Add column "begun" to table: "test_runs"
ALTER TABLE `test_runs` ADD COLUMN `begun` integer NOT NULL DEFAULT (0);
