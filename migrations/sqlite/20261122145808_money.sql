-- What plans are sold for, and what a subscription costs
ALTER TABLE `plans` ADD COLUMN `sold_monthly_price` integer NOT NULL DEFAULT -1;
ALTER TABLE `plans` ADD COLUMN `sold_yearly_price` integer NOT NULL DEFAULT -1;
ALTER TABLE `plans` ADD COLUMN `sold_currency` text NOT NULL DEFAULT '';
ALTER TABLE `subscriptions` ADD COLUMN `amount` integer NOT NULL DEFAULT 0;
ALTER TABLE `subscriptions` ADD COLUMN `currency` text NOT NULL DEFAULT '';
ALTER TABLE `subscriptions` ADD COLUMN `invoice_url` text NOT NULL DEFAULT '';
-- Create "reversals" table
CREATE TABLE `reversals` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `stripe_id` text NOT NULL, `kind` text NOT NULL, `status` text NOT NULL, `amount` integer NOT NULL, `currency` text NOT NULL, `at` datetime NOT NULL, `workspace_id` text NOT NULL, CONSTRAINT `reversals_workspaces_reversals` FOREIGN KEY (`workspace_id`) REFERENCES `workspaces` (`id`) ON DELETE CASCADE);
-- Create index "reversal_workspace_id_stripe_id" to table: "reversals"
CREATE UNIQUE INDEX `reversal_workspace_id_stripe_id` ON `reversals` (`workspace_id`, `stripe_id`);
-- Create "trials" table
CREATE TABLE `trials` (`id` text NOT NULL, `subscription_id` text NOT NULL, `created_at` datetime NOT NULL, PRIMARY KEY (`id`));
-- An owner of a workspace that had a trial has had theirs
INSERT INTO `trials` (`id`, `subscription_id`, `created_at`)
	SELECT 'user:' || `members`.`user_id`, MIN(`subscriptions`.`subscription_id`), MIN(`subscriptions`.`created_at`) FROM `subscriptions`
	JOIN `members` ON `members`.`workspace_id` = `subscriptions`.`workspace_id` AND `members`.`role` = 'owner'
	WHERE `subscriptions`.`trial_used` GROUP BY `members`.`user_id`;
