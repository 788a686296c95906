-- Modify "audit_entries" table
ALTER TABLE "audit_entries" DROP CONSTRAINT "audit_entries_workspaces_audit_entries", ALTER COLUMN "workspace_id" DROP NOT NULL, ADD COLUMN "user_id" character varying NOT NULL DEFAULT '', ADD COLUMN "object_kind" character varying NOT NULL DEFAULT '', ADD COLUMN "object_id" character varying NOT NULL DEFAULT '', ADD COLUMN "object_name" character varying NOT NULL DEFAULT '', ADD COLUMN "changes" jsonb NULL, ADD COLUMN "address" character varying NOT NULL DEFAULT '', ADD COLUMN "request_id" character varying NOT NULL DEFAULT '';
-- Create index "auditentry_at" to table: "audit_entries"
CREATE INDEX "auditentry_at" ON "audit_entries" ("at");
