-- Drop index "passage_unexpanded" from table: "passages"
DROP INDEX "passage_unexpanded";
-- Rename column "expansion" of table: "passages": another model makes what it holds
ALTER TABLE "passages" RENAME COLUMN "expansion" TO "encoding";
UPDATE "passages" SET "encoding" = NULL WHERE "encoding" IS NOT NULL;
-- Create index "passage_unencoded" to table: "passages"
CREATE INDEX "passage_unencoded" ON "passages" ("workspace_id", "id") WHERE (encoding IS NULL);
