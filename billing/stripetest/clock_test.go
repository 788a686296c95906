package stripetest_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v76"

	"parley/billing/stripetest"
)

const day = 24 * time.Hour

func onDay(t *testing.T, what string, unix int64, want time.Time) {
	t.Helper()
	if got := time.Unix(unix, 0).UTC(); !got.Equal(want) {
		t.Errorf("%s is %s, want %s", what, got, want)
	}
}

func TestRenewals(t *testing.T) {
	a := newAccount(t, stripetest.Options{})
	a.sells("basic", 19_00)
	c := a.subscriber("basic", 0)

	t.Run("a subscription is paid immediately", func(t *testing.T) {
		a.wantStatus(c, "active")
		if all := a.Invoices(c); len(all) != 1 || all[0].Status != "paid" || all[0].AmountPaid != 19_00 || all[0].Number == "" {
			t.Errorf("the invoices are %+v", all)
		}
	})
	t.Run("the periods of one that began on the 31st end on the last days of the months", func(t *testing.T) {
		for _, want := range []time.Time{
			time.Date(2026, time.February, 28, 12, 0, 0, 0, time.UTC),
			time.Date(2026, time.March, 31, 12, 0, 0, 0, time.UTC),
			time.Date(2026, time.April, 30, 12, 0, 0, 0, time.UTC),
		} {
			onDay(t, "the end of the period", a.latest(c).CurrentPeriodEnd, want)
			a.Advance(want.Sub(a.Now()) + 2*time.Hour)
		}
		if all := a.Invoices(c); len(all) != 4 || all[3].Status != "paid" {
			t.Errorf("there are %d invoices", len(all))
		}
	})
	t.Run("the invoice of a renewal is a draft for an hour", func(t *testing.T) {
		a.Advance(time.Unix(a.latest(c).CurrentPeriodEnd, 0).Sub(a.Now()))
		all := a.Invoices(c)
		if last := all[len(all)-1]; last.Status != "draft" {
			t.Errorf("it is %s", last.Status)
		}
		a.wantStatus(c, "active")
	})
	t.Run("a subscription that is canceled for the end of its period ends then", func(t *testing.T) {
		a.CancelAtPeriodEnd(c, true)
		sub := a.wantStatus(c, "active")
		if !sub.CancelAtPeriodEnd || sub.CancelAt != sub.CurrentPeriodEnd {
			t.Errorf("it ends at %d, its period at %d", sub.CancelAt, sub.CurrentPeriodEnd)
		}
		a.Advance(40 * day)
		onDay(t, "the end", a.wantStatus(c, "canceled").EndedAt, time.Unix(sub.CurrentPeriodEnd, 0).UTC())
	})
}

func TestTrial(t *testing.T) {
	a := newAccount(t, stripetest.Options{})
	a.sells("standard", 79_00)
	c := a.subscriber("standard", 14)
	a.wantStatus(c, "trialing")
	a.newEvents()

	t.Run("three days before its end it is announced", func(t *testing.T) {
		a.Advance(11 * day)
		if got := a.newEvents(); !slices.Equal(got, []string{"customer.subscription.trial_will_end"}) {
			t.Errorf("the events are %v", got)
		}
	})
	t.Run("then the first period is paid", func(t *testing.T) {
		a.Advance(3*day + time.Hour)
		sub := a.wantStatus(c, "active")
		onDay(t, "the period's begin", sub.CurrentPeriodStart, start.Add(14*day))
		want := []string{"invoice.created", "customer.subscription.updated", "invoice.finalized", "charge.succeeded", "invoice.paid", "invoice.payment_succeeded"}
		if got := a.newEvents(); !slices.Equal(got, want) {
			t.Errorf("the events are %v", got)
		}
	})
	t.Run("one that is canceled in its trial ends with it", func(t *testing.T) {
		c := a.subscriber("standard", 14)
		a.CancelAtPeriodEnd(c, true)
		a.Advance(14 * day)
		a.wantStatus(c, "canceled")
		if all := a.Invoices(c); len(all) != 1 || all[0].AmountDue != 0 {
			t.Errorf("the invoices are %+v", all)
		}
	})
}

func TestFailedPayments(t *testing.T) {
	failing := func(t *testing.T, givesUp stripe.SubscriptionStatus) (*account, string) {
		a := newAccount(t, stripetest.Options{GivesUp: givesUp})
		a.sells("basic", 19_00)
		c := a.subscriber("basic", 0)
		a.FailPayments(c, true)
		a.Advance(28*day + time.Hour)
		return a, c
	}
	t.Run("after a failed payment the subscription is past due, and the payment is retried", func(t *testing.T) {
		a, c := failing(t, "")
		a.wantStatus(c, "past_due")
		a.FailPayments(c, false)
		a.Advance(3 * day)
		a.wantStatus(c, "active")
		if all := a.Invoices(c); all[1].AttemptCount != 2 || !all[1].Paid {
			t.Errorf("the invoice is %+v", all[1])
		}
	})
	for _, status := range []stripe.SubscriptionStatus{"canceled", "unpaid", "past_due"} {
		t.Run("after the last retry it is "+string(status), func(t *testing.T) {
			a, c := failing(t, status)
			a.Advance(15*day - time.Second)
			a.wantStatus(c, "past_due")
			a.Advance(time.Second)
			a.wantStatus(c, status)
			if last := a.Invoices(c)[1]; last.Status != "open" || last.AttemptCount != 4 {
				t.Errorf("the invoice is %s after %d tries", last.Status, last.AttemptCount)
			}
		})
	}
	t.Run("once its invoice is voided the subscription is active", func(t *testing.T) {
		a, c := failing(t, "")
		must[*stripe.Invoice](a)(a.api.Invoices.VoidInvoice(a.Invoices(c)[1].ID, nil))
		a.wantStatus(c, "active")
	})
	t.Run("an unpaid subscription drafts invoices", func(t *testing.T) {
		a, c := failing(t, "unpaid")
		a.Advance(40 * day)
		all := a.Invoices(c)
		if all[2].Status != "draft" {
			t.Errorf("the next invoice is %s", all[2].Status)
		}
	})
	t.Run("a failed first payment can be made up for within 23 hours", func(t *testing.T) {
		a := newAccount(t, stripetest.Options{})
		a.sells("basic", 19_00)
		c := a.customer()
		a.FailPayments(c, true)
		a.ok(a.Subscribe(c, "parley_basic_monthly", 0))
		a.wantStatus(c, "incomplete")
		a.Advance(23 * time.Hour)
		a.wantStatus(c, "incomplete_expired")
	})
}

func TestChanges(t *testing.T) {
	a := newAccount(t, stripetest.Options{})
	a.sells("basic", 20_00)
	a.sells("standard", 80_00)
	t.Run("an upgrade costs the difference for the rest of the period", func(t *testing.T) {
		c := a.subscriber("basic", 0)
		a.Advance(14 * day)
		a.ok(a.ChangePrice(c, "parley_standard_monthly"))
		if all := a.Invoices(c); len(all) != 2 || all[1].AmountPaid != 30_00 {
			t.Errorf("the invoice is of %d", all[1].AmountPaid)
		}
		if key := a.latest(c).Items.Data[0].Price.LookupKey; key != "parley_standard_monthly" {
			t.Errorf("the price is %s", key)
		}
	})
	t.Run("a scheduled downgrade starts with the next period, and its schedule then disappears", func(t *testing.T) {
		c := a.subscriber("standard", 0)
		a.ok(a.SchedulePrice(c, "parley_basic_monthly"))
		before := a.latest(c)
		if before.Schedule == nil || before.Items.Data[0].Price.LookupKey != "parley_standard_monthly" {
			t.Fatalf("the subscription is %+v", before)
		}
		a.Advance(time.Unix(before.CurrentPeriodEnd, 0).Sub(a.Now()) + time.Hour)
		after := a.latest(c)
		if after.Items.Data[0].Price.LookupKey != "parley_basic_monthly" {
			t.Errorf("the price is %s", after.Items.Data[0].Price.LookupKey)
		}
		if all := a.Invoices(c); len(all) != 2 || all[1].AmountPaid != 20_00 {
			t.Errorf("the invoices are %+v", all)
		}
		a.Advance(31 * day)
		if a.latest(c).Schedule != nil {
			t.Error("the schedule is still there")
		}
	})
	t.Run("another interval starts another period", func(t *testing.T) {
		c := a.subscriber("basic", 0)
		a.ok(a.ChangePrice(c, "parley_basic_yearly"))
		onDay(t, "the end of the period", a.latest(c).CurrentPeriodEnd, a.Now().AddDate(1, 0, 0))
	})
	t.Run("a card that always fails, fails", func(t *testing.T) {
		c := a.subscriber("basic", 0)
		must[*stripe.Subscription](a)(a.api.Subscriptions.Update(a.latest(c).ID, &stripe.SubscriptionParams{DefaultPaymentMethod: stripe.String("pm_card_chargeCustomerFail")}))
		a.ok(a.ChangePrice(c, "parley_standard_monthly"))
		a.wantStatus(c, "past_due")
	})
}
