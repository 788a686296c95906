-- Create index "token_published" to table: "tokens"
CREATE INDEX `token_published` ON `tokens` (`id`) WHERE kind = 'publishable' AND revoked_at IS NULL;
-- Create index "user_created_at_id" to table: "users"
CREATE INDEX `user_created_at_id` ON `users` (`created_at`, `id`);
-- Create index "workspace_created_at_id" to table: "workspaces"
CREATE INDEX `workspace_created_at_id` ON `workspaces` (`created_at`, `id`);
-- Create index "subscription_stale" to table: "subscriptions"
CREATE INDEX `subscription_stale` ON `subscriptions` (`id`) WHERE customer_stale;
