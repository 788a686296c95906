package store_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"parley/core/subscription"
	"parley/core/tenant"
)

func TestReversals(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		b.must(b.CreateWorkspace(b.Context(), tenant.Workspace{ID: "ws_r", Plan: "starter", CreatedAt: epoch}))
		refund := subscription.Reversal{StripeID: "re_1", Kind: subscription.Refund, Status: "succeeded", Amount: 19_00, Currency: "usd", At: epoch}
		dispute := subscription.Reversal{StripeID: "dp_1", Kind: subscription.Dispute, Status: "needs_response", Amount: 79_00, Currency: "eur", At: epoch.Add(time.Hour)}
		want := func(t *testing.T, want ...subscription.Reversal) {
			t.Helper()
			if got, err := b.Reversals(b.Context(), "ws_r", 10); err != nil || !slices.Equal(got, want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
			}
		}
		b.Run("they come back, the latest first", func(t *testing.T) {
			b.must(b.SaveReversal(b.Context(), "ws_r", refund))
			b.must(b.SaveReversal(b.Context(), "ws_r", dispute))
			want(t, dispute, refund)
		})
		b.Run("one that has another state is not there twice", func(t *testing.T) {
			dispute.Status = "lost"
			b.must(b.SaveReversal(b.Context(), "ws_r", dispute))
			want(t, dispute, refund)
		})
	})
}

func TestTrials(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		ctx, card := b.Context(), subscription.TrialOfPayment("fp_1")
		b.Run("of twenty subscriptions that claim a card at once, one has its trial", func(t *testing.T) {
			var all sync.WaitGroup
			stands := make([]string, 20)
			for i := range stands {
				all.Go(func() {
					var err error
					if stands[i], err = b.AddTrial(ctx, card, "sub_"+string(rune('a'+i)), epoch); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			if slices.Sort(stands); stands[0] == "" || stands[0] != stands[len(stands)-1] {
				t.Errorf("they were told %v", stands)
			}
		})
		b.Run("another key is free", func(t *testing.T) {
			for key, want := range map[subscription.TrialKey]bool{card: true, subscription.TrialOfUser("fp_1"): false} {
				if had, err := b.HasTrial(ctx, key); err != nil || had != want {
					t.Errorf("%s: %v, %v", key, had, err)
				}
			}
		})
	})
}
