-- A workspace that was unlinked has no customer
DROP INDEX `subscriptions_customer_id_key`;
CREATE UNIQUE INDEX `subscription_customer_id` ON `subscriptions` (`customer_id`) WHERE customer_id <> '';
-- Whose customer a workspace is, and that Stripe does not know it
ALTER TABLE `subscriptions` ADD COLUMN `account_id` text NOT NULL DEFAULT '';
ALTER TABLE `subscriptions` ADD COLUMN `account_mode` text NOT NULL DEFAULT '';
ALTER TABLE `subscriptions` ADD COLUMN `missing_at` datetime NULL;
-- Access that no Stripe can confirm ends
ALTER TABLE `subscriptions` ADD COLUMN `unverified_until` datetime NULL;
CREATE INDEX `subscription_unverified_until` ON `subscriptions` (`unverified_until`);
-- Grants may end
ALTER TABLE `workspaces` ADD COLUMN `granted_until` datetime NULL;
CREATE INDEX `workspace_granted_until` ON `workspaces` (`granted_until`);
