package subscription_test

import (
	"testing"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
)

func TestApply(t *testing.T) {
	t.Parallel()
	t.Run("a workspace that was never a customer has the zero value", func(t *testing.T) {
		c := newClock(t)
		if got := c.subscription(); got != (subscription.Subscription{WorkspaceID: c.space.ID}) {
			t.Errorf("got %+v", got)
		}
		_, err := c.Ledger.Apply(t.Context(), c.space.ID, 0, c.active(plan.Basic), false, subscription.Cause{})
		c.isA(err, fault.NotFound)
	})
	t.Run("a subscription puts its plan in force and is stored as read", func(t *testing.T) {
		c := newClock(t)
		c.customer()
		billed := c.active(plan.Standard)
		billed.EndsAt, billed.TrialEnd, billed.NextAt = c.in(9*day), c.in(2*day), c.in(3*day)
		billed.NextPlan = plan.Basic
		applied := c.bill(billed)
		if !applied.Changed || applied.Unknown || applied.Before.Status != plan.None || applied.After.Status != plan.Active {
			t.Errorf("applied %+v", applied)
		}
		c.isOn(plan.Standard)
		got := c.subscription()
		if got.ID != "sub_1" || got.Interval != plan.Monthly || got.NextPlan != plan.Basic || got.Revision != 1 ||
			!got.PeriodEnd.Equal(*billed.PeriodEnd) || !got.EndsAt.Equal(*billed.EndsAt) || !got.TrialEnd.Equal(*billed.TrialEnd) ||
			!got.NextAt.Equal(*billed.NextAt) || !got.FetchedAt.Equal(c.now) ||
			got.Access.Plan != plan.Standard || !got.Access.Until.Equal(*billed.EndsAt) {
			t.Errorf("the row is %+v", got)
		}
	})
	t.Run("the same again changes only the revision", func(t *testing.T) {
		c := newClock(t)
		c.customer()
		billed := c.active(plan.Standard)
		c.bill(billed)
		before := len(c.history())
		if applied := c.bill(billed); applied.Changed {
			t.Errorf("applied %+v", applied)
		}
		if n := len(c.history()); n != before || c.subscription().Revision != 2 {
			t.Errorf("%d entries after %d, revision %d", n, before, c.subscription().Revision)
		}
	})
	t.Run("the audit log says what happened, and who did it", func(t *testing.T) {
		c := newClock(t)
		c.customer()
		c.bill(c.active(plan.Standard))
		overdue := c.active(plan.Standard)
		overdue.Status, overdue.PastDueSince = plan.PastDue, c.in(0)
		c.billAs(audit.Reconciliation, overdue)
		entries := c.history()
		if entries[0].Actor != audit.Reconciliation || entries[0].Detail != "The subscription to Standard is past due. A payment has been due since January 1, 2026." {
			t.Errorf("the latest entry is %+v", entries[0])
		}
		if entries[1].Actor != audit.Stripe || entries[1].Action != audit.SubscriptionChanged || !entries[1].At.Equal(c.now) ||
			entries[1].Detail != "The subscription to Standard is active. Upgraded from Starter to Standard." {
			t.Errorf("the one before is %+v", entries[1])
		}
	})
	t.Run("a used trial stays used", func(t *testing.T) {
		c := newClock(t)
		c.customer()
		_, err := c.Ledger.Apply(t.Context(), c.space.ID, 0, c.active(plan.Basic), true, subscription.Cause{})
		c.must(err)
		c.bill(c.active(plan.Basic))
		if !c.subscription().TrialUsed {
			t.Error("it is forgotten")
		}
	})
	t.Run("an unknown status keeps the plan and says so", func(t *testing.T) {
		c := newClock(t)
		c.customer()
		c.bill(c.active(plan.Premium))
		strange := c.active(plan.Basic)
		strange.Status = "hibernating"
		if applied := c.bill(strange); !applied.Unknown {
			t.Errorf("applied %+v", applied)
		}
		c.isOn(plan.Premium)
	})
	t.Run("a granted plan stays in force if it is higher", func(t *testing.T) {
		c := newClock(t)
		c.customer()
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Premium))
		c.bill(c.active(plan.Standard))
		c.isOn(plan.Premium)
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Free))
		c.isOn(plan.Standard)
		ended := c.active(plan.Standard)
		ended.Status = plan.Canceled
		c.bill(ended)
		c.isOn(plan.Free)
	})
	t.Run("a missing workspace is not found", func(t *testing.T) {
		c := newClock(t)
		_, err := c.Ledger.Apply(t.Context(), "ws_nowhere", 0, c.active(plan.Basic), false, subscription.Cause{})
		c.isA(err, fault.NotFound)
	})
}

func (c *clock) billAs(actor audit.Actor, billed subscription.Billed) {
	c.Helper()
	c.apply(audit.As(c.Context(), actor), billed, subscription.Cause{})
}
