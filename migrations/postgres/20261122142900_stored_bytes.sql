-- Modify "plans" table
ALTER TABLE "plans" ADD COLUMN "stored_bytes" bigint NOT NULL DEFAULT -1;
-- Create index "upload_workspace_id" to table: "uploads"
CREATE INDEX "upload_workspace_id" ON "uploads" ("workspace_id");
-- A limit for each plan that is there; one that an operator made otherwise has none until it is given one.
UPDATE plans SET stored_bytes = CASE id WHEN 'starter' THEN 50000000 WHEN 'basic' THEN 250000000 WHEN 'standard' THEN 2000000000 WHEN 'premium' THEN 10000000000 ELSE -1 END;
-- Jobs have kinds from now on. What these were for is due in documents and sources, and is queued again.
DELETE FROM river_job WHERE queue = 'work';
