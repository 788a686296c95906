package store_test

import (
	"strings"
	"testing"

	"parley/core/subscription"
	"parley/store"
	billingstore "parley/store/billing"
)

// named is the migration whose name ends so.
func (to *target) named(suffix string) string {
	to.Helper()
	for file := range to.with(nil) {
		if strings.HasSuffix(file, suffix) {
			return file
		}
	}
	to.Fatalf("no file ends with %s", suffix)
	return ""
}

func TestADatabaseOfBeforeSoldPrices(t *testing.T) {
	onBothTargets(t, func(to *target) {
		to.before(to.named("_money.sql"))
		to.exec(
			"INSERT INTO plans (id, title, rank, features, chatbots, members, tokens_per_chatbot, message_chars, knowledge_chars, monthly_price) VALUES ('basic', 'Basic', 1, '[\"api\"]', 3, 3, 0, 8000, 2000000, 1900)",
			"INSERT INTO users (id, email, password_hash, created_at) VALUES ('us_1', 'ada@example.com', 'x', '2026-03-01 12:00:00+00:00'), ('us_2', 'ben@example.com', 'x', '2026-03-01 12:00:00+00:00')",
			"INSERT INTO workspaces (id, name, plan, granted_plan, kept_days, created_at) VALUES ('ws_a', 'a', 'basic', 'starter', 0, '2026-03-01 12:00:00+00:00'), ('ws_b', 'b', 'starter', 'starter', 0, '2026-03-01 12:00:00+00:00')",
			"INSERT INTO members (user_id, role, kept, over_limit, created_at, workspace_id) VALUES ('us_1', 'owner', false, false, '2026-03-01 12:00:00+00:00', 'ws_a'), ('us_2', 'admin', false, false, '2026-03-01 12:00:00+00:00', 'ws_a'), ('us_2', 'owner', false, false, '2026-03-01 12:00:00+00:00', 'ws_b')",
			"INSERT INTO subscriptions (customer_id, subscription_id, status, plan, trial_used, created_at, workspace_id) VALUES ('cus_1', 'sub_1', 'active', 'basic', true, '2026-03-01 12:00:00+00:00', 'ws_a'), ('cus_2', '', '', '', false, '2026-03-01 12:00:00+00:00', 'ws_b')",
		)
		s, err := store.Open(to.Context(), to.url)
		to.must(err)
		defer s.Close()
		to.Run("an owner of a workspace that had a trial gets no other; nobody else is kept from one", func(t *testing.T) {
			for user, want := range map[string]bool{"us_1": true, "us_2": false} {
				if had, err := billingstore.NewTrials(s).HasTrial(to.Context(), subscription.TrialOfUser(user)); err != nil || had != want {
					t.Errorf("%s: %v, %v", user, had, err)
				}
			}
		})
		to.Run("what is sold is not known, nor what a subscription costs", func(t *testing.T) {
			p, err := s.Plan(to.Context(), "basic")
			if err != nil || p.OnSale.Currency != "" || p.Offer() != p.Price || p.Price.Monthly != 19_00 || p.SyncDue() {
				t.Errorf("got %+v, %v", p, err)
			}
			row, err := billingstore.NewSubscriptions(s).Subscription(to.Context(), "ws_a")
			if err != nil || row.Costs() != "" || row.ID != "sub_1" || !row.TrialUsed {
				t.Errorf("got %+v, %v", row, err)
			}
		})
	})
}
