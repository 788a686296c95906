-- Modify "audit_entries" table
ALTER TABLE "audit_entries" ADD COLUMN "address_hash" character varying NOT NULL DEFAULT '', ADD COLUMN "address_salt" character varying NOT NULL DEFAULT '', ADD COLUMN "version" bigint NOT NULL DEFAULT 1;
-- Create index "auditentry_addressed" to table: "audit_entries"
CREATE INDEX "auditentry_addressed" ON "audit_entries" ("at") WHERE ((address)::text <> ''::text);
