package store_test

import (
	"testing"
	"time"

	"parley/core/webhook"
	"parley/ent/scope"
	"parley/store/outbound"
)

func TestPendingOutbound(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		ctx, pending := b.Context(), outbound.NewPending(b.Store)
		count := func(what string, mails, webhooks int) (first time.Time) {
			b.Helper()
			waitingMails, err := pending.Mails(ctx, everywhere)
			b.must(err)
			waitingWebhooks, first, err := pending.Webhooks(ctx, everywhere)
			b.must(err)
			if waitingMails != mails || waitingWebhooks != webhooks {
				b.Errorf("%s there wait %d mails and %d webhooks, want %d and %d", what, waitingMails, waitingWebhooks, mails, webhooks)
			}
			return first
		}
		if first := count("at first", 0, 0); !first.IsZero() {
			b.Errorf("the first is due at %s", first)
		}
		a := b.fill("a") // with a mail and a webhook that wait
		b.fill("other")
		if first := count("with two workspaces", 2, 2); !first.Equal(epoch) {
			b.Errorf("the first is due at %s", first)
		}
		b.must(b.SettleMail(ctx, a.id, a.mail, &epoch, nil))
		waiting, err := b.Deliveries(ctx, a.id, a.endpoint, 0, 1)
		b.must(err)
		b.must(b.SettleDelivery(ctx, a.id, webhook.Delivery{ID: waiting[0].ID, Outcome: webhook.Delivered, EndedAt: &epoch}))
		count("after one workspace's are sent", 1, 1)
		b.must(b.Store.Run(scope.System(ctx, everywhere), "UPDATE workspaces SET delete_at = $1 WHERE id = 'ws_other'", epoch))
		count("when the other workspace is being deleted", 0, 0)
	})
}
