package subscription_test

import (
	"testing"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
)

// grant grants the workspace a plan for some time.
func (c *clock) grant(name plan.Name, lasts time.Duration) {
	c.Helper()
	c.must(c.Grants.Grant(c.Context(), c.space.ID, subscription.Grant{Plan: name, Until: c.in(lasts)}))
}

func (c *clock) grantsEnd(want int) {
	c.Helper()
	n, err := c.Grants.EndDue(c.Context())
	c.must(err)
	if n != want {
		c.Errorf("%d grants end, want %d", n, want)
	}
}

func TestGrantWithAnEnd(t *testing.T) {
	t.Parallel()
	t.Run("it lasts until its end and no longer", func(t *testing.T) {
		c := newClock(t)
		c.grant(plan.Premium, 5*day)
		c.pass(5*day - time.Second)
		c.grantsEnd(0)
		c.isOn(plan.Premium)
		c.pass(time.Second)
		c.grantsEnd(1)
		c.isOn(plan.Free)
		if entry := c.history()[0]; entry.Actor != audit.Time || entry.Detail != "Plan granted: Starter. Downgraded from Premium to Starter." {
			t.Errorf("the log says %+v", entry)
		}
		c.grantsEnd(0)
	})
	t.Run("a paid plan stays when the grant ends", func(t *testing.T) {
		c := newClock(t)
		c.customer()
		c.bill(c.active(plan.Basic))
		c.grant(plan.Premium, day)
		c.isOn(plan.Premium)
		c.pass(day)
		c.grantsEnd(1)
		c.isOn(plan.Basic)
	})
	t.Run("a grant without an end replaces one with an end", func(t *testing.T) {
		c := newClock(t)
		c.grant(plan.Premium, day)
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Premium))
		c.pass(2 * day)
		c.grantsEnd(0)
		c.isOn(plan.Premium)
	})
	t.Run("a new end of the same plan is logged", func(t *testing.T) {
		c := newClock(t)
		c.grant(plan.Standard, day)
		if entry := c.history()[0]; entry.Detail != "Plan granted: Standard, until January 2, 2026." {
			t.Errorf("the log says %+v", entry)
		}
	})
	t.Run("an end in the past, and an end without a grant, are refused", func(t *testing.T) {
		c := newClock(t)
		for _, grant := range []subscription.Grant{{Plan: plan.Premium, Until: c.in(0)}, {Plan: plan.Free, Until: c.in(day)}} {
			if err := c.Grants.Grant(t.Context(), c.space.ID, grant); fault.As(err).Field != "until" {
				t.Errorf("%+v gets %v", grant, err)
			}
		}
		c.isOn(plan.Standard)
	})
}
