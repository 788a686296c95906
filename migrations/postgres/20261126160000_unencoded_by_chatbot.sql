-- Drop index "passage_unencoded" from table: "passages"
DROP INDEX "passage_unencoded";
-- Create index "passage_unencoded" to table: "passages"
CREATE INDEX "passage_unencoded" ON "passages" ("workspace_id", "chatbot_id", "id") WHERE (encoding IS NULL);
