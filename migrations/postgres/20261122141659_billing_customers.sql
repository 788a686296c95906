-- A workspace that was unlinked has no customer
DROP INDEX "subscriptions_customer_id_key";
CREATE UNIQUE INDEX "subscription_customer_id" ON "subscriptions" ("customer_id") WHERE ((customer_id)::text <> ''::text);
-- Whose customer a workspace is, and that Stripe does not know it; and when access that no Stripe can confirm ends
ALTER TABLE "subscriptions" ADD COLUMN "account_id" character varying NOT NULL DEFAULT '', ADD COLUMN "account_mode" character varying NOT NULL DEFAULT '', ADD COLUMN "missing_at" timestamptz NULL, ADD COLUMN "unverified_until" timestamptz NULL;
CREATE INDEX "subscription_unverified_until" ON "subscriptions" ("unverified_until");
-- Grants may end
ALTER TABLE "workspaces" ADD COLUMN "granted_until" timestamptz NULL;
CREATE INDEX "workspace_granted_until" ON "workspaces" ("granted_until");
