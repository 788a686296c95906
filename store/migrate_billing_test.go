package store_test

import (
	"fmt"
	"testing"

	"parley/core/plan"
	"parley/store"
	billingstore "parley/store/billing"
	"parley/store/bots"
	chatstore "parley/store/chat"
	"parley/store/people"
)

// ofBeforeBilling are the rows of a database whose plans were given by hand and
// had a flag for the API. An operator has changed some of their limits.
var ofBeforeBilling = []string{
	"INSERT INTO plans (id, title, rank, api_access, chatbots, members, tokens_per_chatbot, message_chars, knowledge_chars) VALUES" +
		" ('starter', 'Starter', 0, false, 1, 1, 0, 4000, 400000)," +
		" ('basic', 'Basic', 1, false, 4, 3, 0, 8000, 2000000)," +
		" ('standard', 'Standard', 2, false, 10, 10, 10, 16000, 20000000)," +
		" ('premium', 'Premium', 3, true, 50, 50, 50, 32000, 100000000)," +
		" ('enterprise', 'Enterprise', 4, true, -1, -1, -1, 64000, -1)",
	"INSERT INTO workspaces (id, name, plan, created_at) VALUES ('ws_a', 'a', 'premium', '2026-03-01 12:00:00+00:00')," +
		" ('ws_b', 'b', 'starter', '2026-03-01 12:00:00+00:00')",
	"INSERT INTO chatbots (id, name, image_hosts, created_at, workspace_id) VALUES ('cb_a', 'a', '[]', '2026-03-01 12:00:00+00:00', 'ws_a')",
	"INSERT INTO tokens (id, chatbot_id, name, hint, hash, scopes, created_by, created_at, workspace_id) VALUES" +
		" ('tok_a', 'cb_a', 'a', '', 'hash', '[\"chat\"]', '', '2026-03-01 12:00:00+00:00', 'ws_a')",
	"INSERT INTO conversations (id, chatbot_id, external_user_id, status, created_at, workspace_id) VALUES (5, 'cb_a', '', 'active', '2026-03-01 12:00:00+00:00', 'ws_a')",
	"INSERT INTO messages (id, workspace_id, role, content, status, created_at, conversation_id) VALUES (7, 'ws_a', 'assistant', 'said', 'complete', '2026-03-01 12:00:00+00:00', 5)",
	"INSERT INTO removals (id, workspace_id, chatbot_id, document_id, title, url, content_hash, passages, requested_at, confirmed_at, answers, message_ids) VALUES" +
		" ('rm_1', 'ws_a', 'cb_a', 'doc_1', '', '', '', 1, '2026-03-01 12:00:00+00:00', '2026-03-01 12:00:00+00:00', 3, '[7]')," +
		" ('rm_2', 'ws_a', 'cb_a', 'doc_2', '', '', '', 1, '2026-03-01 12:00:00+00:00', NULL, 0, '[]')",
}

func TestADatabaseOfBeforeBilling(t *testing.T) {
	onBothTargets(t, func(to *target) {
		to.before("20261121164600_billing.sql")
		to.exec(ofBeforeBilling...)
		s, err := store.Open(to.Context(), to.url)
		to.must(err)
		defer s.Close()
		b := &bundle{T: to.T, everything: allOf(s), url: to.url}
		ctx := to.Context()

		to.Run("plans include what they did, with the limits that are new", func(t *testing.T) {
			want := plan.Defaults()
			want[1].Limits.Chatbots = 4                // as the operator has it
			want[2].Limits.Features = []plan.Feature{} // no API, so none of what came with it
			got, err := billingstore.NewPlans(s).Plans(ctx)
			if err != nil || len(got) != len(want) {
				t.Fatalf("got %+v, %v", got, err)
			}
			for i := range want {
				if fmt.Sprintf("%+v", got[i]) != fmt.Sprintf("%+v", want[i]) {
					t.Errorf("got  %+v\nwant %+v", got[i], want[i])
				}
			}
		})
		to.Run("a workspace keeps the plan that it was given", func(t *testing.T) {
			for id, want := range map[string]plan.Name{"ws_a": plan.Premium, "ws_b": plan.Starter} {
				if w, err := people.NewWorkspaces(s).Workspace(ctx, id); err != nil || w.Plan != want || w.Granted != want {
					t.Errorf("got %+v, %v", w, err)
				}
			}
		})
		to.Run("a token works as it did, and nothing rests", func(t *testing.T) {
			p, err := bots.NewTokens(s).PrincipalByTokenHash(ctx, everywhere, "hash")
			if err != nil || p.Plan.Name != plan.Premium || !p.Plan.Limits.Has(plan.FeatureAPI) || p.Token.OverLimit || p.Chatbot.OverLimit {
				t.Errorf("got %+v, %v", p, err)
			}
		})
		to.Run("nobody is a customer, and no question was counted", func(t *testing.T) {
			all, err := collected(billingstore.NewSubscriptions(s).Subscriptions(ctx, everywhere))
			if err != nil || len(all) != 0 {
				t.Errorf("got %+v, %v", all, err)
			}
			b.wantMessages("ws_a", thisMonth, 0)
		})
		to.Run("of its receipts only the open one is counted later", func(t *testing.T) {
			b.must(b.ConfirmRemoval(ctx, "ws_a", "doc_2", epoch, 0, nil))
			due, err := b.RemovalsToCount(ctx, everywhere, epoch.AddDate(1, 0, 0), 10)
			if err != nil || len(due) != 1 || due[0].ID != "rm_2" {
				t.Errorf("got %+v, %v", due, err)
			}
		})
		to.Run("conversations are as they were", func(t *testing.T) {
			got, err := chatstore.NewConversations(s).Messages(ctx, "ws_a", 5, 0, 0)
			if err != nil || len(got) != 1 || got[0].Content != "said" {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	})
}
