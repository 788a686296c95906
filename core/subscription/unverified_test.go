package subscription_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley/core/audit"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/store/tenancy"
)

// switchedOff is a server without Stripe on a database that had one.
func switchedOff(t *testing.T) *clock {
	t.Helper()
	c := newClock(t)
	c.customer()
	c.bill(c.active(plan.Standard))
	c.Services = c.withOptions(tenancy.Options{Payments: subscription.Options{Grace: 21 * day, StripeOff: true}})
	return c
}

// unverified runs what a server without Stripe does every minute.
func (c *clock) unverified(want int) subscription.Unverified {
	c.Helper()
	found, err := c.Lapses.Unverified(c.Context())
	c.must(err)
	if found.Workspaces != want {
		c.Errorf("%d have a plan that cannot be verified, want %d", found.Workspaces, want)
	}
	c.must(c.Lapses.EndUnverified(c.Context()))
	_, err = c.Lapses.Lapse(c.Context())
	c.must(err)
	return found
}

// lapsed are the workspaces about which Stripe has to be asked.
func (c *clock) lapsed() (workspaceIDs []string) {
	c.Helper()
	for workspaceID, err := range c.Lapses.Lapsed(c.Context()) {
		c.must(err)
		workspaceIDs = append(workspaceIDs, workspaceID)
	}
	return workspaceIDs
}

func TestStripeSwitchedOff(t *testing.T) {
	t.Parallel()
	t.Run("a paid plan does not stay forever", func(t *testing.T) {
		c := switchedOff(t)
		if found := c.unverified(1); !found.Until.Equal(c.now.Add(subscription.UnverifiedFor)) {
			t.Errorf("it ends at %v", found.Until)
		}
		if entry := c.history()[0]; entry.Actor != audit.Time || !strings.Contains(entry.Detail, "Stripe is switched off") {
			t.Errorf("the log says %+v", entry)
		}
		c.pass(subscription.UnverifiedFor - time.Second)
		c.unverified(1)
		c.isOn(plan.Standard)
		c.pass(time.Second)
		c.unverified(1)
		c.isOn(plan.Free)
		c.unverified(0)
	})
	t.Run("the first answer of a Stripe that is switched on again restores it", func(t *testing.T) {
		c := switchedOff(t)
		c.unverified(1)
		c.pass(subscription.UnverifiedFor)
		c.unverified(1)
		c.isOn(plan.Free)
		if asked := c.lapsed(); !slices.Equal(asked, []string{c.space.ID}) {
			t.Errorf("Stripe is asked about %v", asked)
		}
		c.bill(c.active(plan.Standard))
		c.isOn(plan.Standard)
		if asked := c.lapsed(); len(asked) != 0 || c.subscription().UnverifiedUntil != nil {
			t.Errorf("then it is asked about %v", asked)
		}
	})
	t.Run("a state that nobody knows is no reason to keep the end that is over", func(t *testing.T) {
		c := switchedOff(t)
		c.unverified(1)
		c.pass(subscription.UnverifiedFor)
		c.unverified(1)
		strange := c.active(plan.Standard)
		strange.Status = "hibernating"
		c.bill(strange)
		c.isOn(plan.Standard)
		if until := c.subscription().Access.Until; until != nil {
			t.Errorf("it ends at %v", until)
		}
	})
	t.Run("a subscription that ends before ends then", func(t *testing.T) {
		c := newClock(t)
		c.customer()
		ending := c.active(plan.Standard)
		ending.EndsAt = c.in(3 * day)
		c.bill(ending)
		c.Services = c.withOptions(tenancy.Options{Payments: subscription.Options{StripeOff: true}})
		if found := c.unverified(1); !found.Until.Equal(*ending.EndsAt) {
			t.Errorf("it ends at %v", found.Until)
		}
		c.pass(3 * day)
		c.unverified(1)
		c.isOn(plan.Free)
	})
	t.Run("the operator can lower it at once, and Stripe restores that, too", func(t *testing.T) {
		c := switchedOff(t)
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Basic))
		c.isOn(plan.Basic)
		c.bill(c.active(plan.Standard))
		c.isOn(plan.Standard)
	})
	t.Run("a subscription that goes on at Stripe is not forgotten with its workspace", func(t *testing.T) {
		c := switchedOff(t)
		paid := c.subscription().ID
		c.must(c.Deletions.DeleteWorkspace(t.Context(), c.space.ID))
		if entry := c.deletion(); entry.Action != audit.WorkspaceDeleted || paid == "" || !strings.Contains(entry.Detail, paid+" was not canceled") {
			t.Errorf("the log says %+v", entry)
		}
	})
	t.Run("a plan that was granted goes on", func(t *testing.T) {
		c := switchedOff(t)
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Premium))
		c.unverified(1)
		c.pass(subscription.UnverifiedFor)
		c.unverified(1)
		c.isOn(plan.Premium)
	})
}
