package subscription_test

import (
	"strings"
	"testing"
	"time"

	"parley/core/audit"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/store/tenancy"
)

func TestLapse(t *testing.T) {
	t.Parallel()
	ending := func(t *testing.T) *clock {
		c := newClock(t)
		c.customer()
		billed := c.active(plan.Standard)
		billed.EndsAt = c.in(5 * day)
		c.bill(billed)
		return c
	}
	lapsed := func(c *clock, want int) {
		c.Helper()
		n, err := c.Lapses.Lapse(c.Context())
		c.must(err)
		if n != want {
			c.Errorf("%d lapsed, want %d", n, want)
		}
	}
	t.Run("access continues until the exact end", func(t *testing.T) {
		c := ending(t)
		c.pass(5*day - time.Second)
		lapsed(c, 0)
		c.isOn(plan.Standard)
		c.pass(time.Second)
		lapsed(c, 1)
		c.isOn(plan.Free)
		if entry := c.history()[0]; entry.Actor != audit.Time || !strings.HasSuffix(entry.Detail, "Downgraded from Standard to Starter.") {
			t.Errorf("the log says %+v", entry)
		}
		lapsed(c, 0)
	})
	t.Run("a resumed subscription does not lapse", func(t *testing.T) {
		c := ending(t)
		c.bill(c.active(plan.Standard))
		c.pass(20 * day)
		lapsed(c, 0)
		c.isOn(plan.Standard)
	})
	t.Run("after a failed payment access continues for the operator's grace", func(t *testing.T) {
		c := newClock(t)
		c.customer()
		overdue := c.active(plan.Standard)
		overdue.Status, overdue.PastDueSince = plan.PastDue, c.in(0)
		c.bill(overdue)
		c.pass(21*day - time.Second)
		lapsed(c, 0)
		c.pass(time.Second)
		if n, err := c.withOptions(tenancy.Options{Payments: subscription.Options{Grace: 30 * day}}).Lapses.Lapse(t.Context()); err != nil || n != 1 {
			t.Errorf("with more grace %d change, %v", n, err)
		}
		c.isOn(plan.Standard)
		c.pass(9 * day)
		lapsed(c, 1)
		c.isOn(plan.Free)
	})
	t.Run("access returns with a payment after the grace", func(t *testing.T) {
		c := newClock(t)
		c.customer()
		overdue := c.active(plan.Standard)
		overdue.Status, overdue.PastDueSince = plan.PastDue, c.in(0)
		c.bill(overdue)
		c.pass(21 * day)
		lapsed(c, 1)
		c.bill(c.active(plan.Standard))
		c.isOn(plan.Standard)
	})
	t.Run("a granted plan does not lapse", func(t *testing.T) {
		c := ending(t)
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Basic))
		c.pass(5 * day)
		lapsed(c, 1)
		c.isOn(plan.Basic)
	})
}
