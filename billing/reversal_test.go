package billing_test

import (
	"strings"
	"testing"

	"parley/billing"
	"parley/core/outbox"
	"parley/core/plan"
	"parley/core/subscription"
)

func TestMoneyThatGoesBack(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, b *business) {
		customer := b.buy(b.workspace, plan.Standard, plan.Monthly)
		b.stripe.Advance(15 * aDay) // the first payment
		b.stripe.Deliver()
		went := func() []subscription.Reversal {
			t.Helper()
			all, err := b.Reversals.List(b.ctx, b.workspace, 10)
			b.must(err)
			return all
		}
		audited := func(text string) (n int) {
			for e, err := range b.Audit.AuditLog(b.ctx, b.workspace, lifeStart) {
				b.must(err)
				if strings.Contains(e.Detail, text) {
					n++
				}
			}
			return n
		}

		t.Run("a refund raises one alarm, however often Stripe sends it, and changes no plan", func(t *testing.T) {
			b.stripe.Refund(customer, 10_00)
			events := b.stripe.Take()
			if accepted := b.stripe.Send(append(events, events...)...); accepted != 2*len(events) {
				t.Errorf("%d of %d events are taken", accepted, 2*len(events))
			}
			if got := went(); len(got) != 1 || got[0].Kind != subscription.Refund || got[0].Amount != 10_00 || got[0].Currency != "usd" {
				t.Errorf("got %+v", got)
			}
			if b.alarms.rang(billing.Refunded) != 1 || audited("10.00 USD was refunded.") != 1 || b.inForce(b.workspace) != plan.Standard {
				t.Errorf("it rang %d times; the plan is %s", b.alarms.rang(billing.Refunded), b.inForce(b.workspace))
			}
		})
		t.Run("a second partial refund counts separately", func(t *testing.T) {
			b.stripe.Refund(customer, 5_00)
			b.stripe.Deliver()
			if got := went(); len(got) != 2 || b.alarms.rang(billing.Refunded) != 2 {
				t.Errorf("got %+v", got)
			}
		})
		t.Run("a dispute raises an alarm and is open until the bank decides", func(t *testing.T) {
			b.stripe.Dispute(customer)
			b.stripe.Deliver()
			if got := went(); len(got) != 3 || !got[0].Open() || b.alarms.rang(billing.Disputed) != 1 {
				t.Errorf("got %+v", got)
			}
			b.stripe.Decide("lost")
			b.stripe.Deliver()
			if got := went(); len(got) != 3 || !got[0].Lost() || b.alarms.rang(billing.DisputeLost) != 1 {
				t.Errorf("got %+v", got)
			}
			if got := b.inForce(b.workspace); got != plan.Standard {
				t.Errorf("a lost dispute by itself leads to %s", got)
			}
		})
		t.Run("one that Stripe could not deliver is found, among other events of the customer", func(t *testing.T) {
			b.stripe.SetWebhook("")
			b.must(b.stripe.ChangePrice(customer, key(plan.Premium, plan.Monthly)))
			b.stripe.Refund(customer, 1_00)
			b.stripe.Deliver()
			_, err := b.processes[0].CatchUp(b.ctx)
			b.must(err)
			if got := went(); len(got) != 4 {
				t.Errorf("got %+v", got)
			}
		})
		t.Run("each refund or dispute of a deleted workspace raises one alarm, however often Stripe sends it", func(t *testing.T) {
			b.stripe.SetWebhook(b.endpoint.URL)
			b.stripe.Deliver()
			refunds, disputes := b.alarms.rang(billing.Refunded), b.alarms.rang(billing.Disputed)
			b.must(b.processes[0].Cancel(b.ctx, b.workspace))
			b.must(b.Deletions.DeleteWorkspace(b.ctx, b.workspace))
			b.stripe.Refund(customer, 2_00)
			b.stripe.Dispute(customer)
			events := b.stripe.Take()
			if accepted := b.stripe.Send(append(events, events...)...); accepted != 2*len(events) {
				t.Errorf("%d of %d events are taken", accepted, 2*len(events))
			}
			if b.alarms.rang(billing.Refunded) != refunds+1 || b.alarms.rang(billing.Disputed) != disputes+1 {
				t.Errorf("it rang %d and %d times", b.alarms.rang(billing.Refunded)-refunds, b.alarms.rang(billing.Disputed)-disputes)
			}
		})
	})
}

func TestMailsAboutPayments(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, b *business) {
		customer := b.buy(b.workspace, plan.Standard, plan.Monthly)
		b.stripe.Advance(15 * aDay)
		b.stripe.Deliver()
		// sends lets two processes send due mails concurrently, and returns them.
		sends := func() []outbox.Mail { return b.sendsAtOnce(t) }
		sends()

		t.Run("a renewal that the bank wants confirmed is mailed once, with the page for it", func(t *testing.T) {
			b.stripe.AskAuthentication(customer, true)
			b.stripe.Advance(31 * aDay)
			b.stripe.Deliver()
			mails := sends()
			row := b.row(b.workspace)
			if len(mails) != 1 || row.InvoiceURL == "" || !strings.Contains(mails[0].Body, row.InvoiceURL) {
				t.Fatalf("got %+v", mails)
			}
			if _, err := b.stripe.Press(row.InvoiceURL, "pay"); err != nil {
				t.Fatal(err)
			}
			b.stripe.Deliver()
			if row := b.row(b.workspace); row.Status != plan.Active || row.InvoiceURL != "" {
				t.Errorf("got %+v", row)
			}
		})
		t.Run("when Stripe gives up, the end is mailed once, and the row says since when", func(t *testing.T) {
			b.stripe.AskAuthentication(customer, false)
			b.stripe.FailPayments(customer, true)
			b.stripe.Advance(30 * aDay)
			b.stripe.Deliver()
			if mails := sends(); len(mails) != 1 || !strings.Contains(mails[0].Subject, "failed") {
				t.Errorf("got %+v", mails)
			}
			b.stripe.Advance(20 * aDay)
			events := b.stripe.Take()
			b.stripe.Send(append(events, events...)...)
			mails := sends()
			if len(mails) != 1 || mails[0].Subject != "The Standard plan of Shop has ended" {
				t.Errorf("got %+v", mails)
			}
			if row := b.row(b.workspace); row.Status != plan.Canceled || row.PastDueSince == nil || b.inForce(b.workspace) != plan.Free {
				t.Errorf("got %+v", row)
			}
			if again := sends(); len(again) != 0 {
				t.Errorf("again %+v", again)
			}
		})
	})
}
