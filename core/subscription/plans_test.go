package subscription_test

import (
	"slices"
	"testing"

	"parley/core/audit"
	"parley/core/chat"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/system/grant"
	chatstore "parley/store/chat"
)

// owner returns the owner as an actor.
func (c *clock) owner() audit.Actor { return audit.Person(c.user.ID, c.user.Email) }

// suspended checks which holdings of a resource are suspended.
func (c *clock) suspended(resource plan.Resource, want ...string) {
	c.Helper()
	holdings, err := c.Holdings.List(c.Context(), c.space.ID)
	c.must(err)
	var got []string
	for _, h := range holdings {
		if h.Resource == resource && h.OverLimit {
			got = append(got, h.ID)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		c.Errorf("suspended are %q, want %q", got, want)
	}
}

func TestSetPlan(t *testing.T) {
	t.Parallel()
	t.Run("a new workspace has no granted plan", func(t *testing.T) {
		c := newClock(t)
		space, err := c.Workspaces.Create(t.Context(), c.user, "Other")
		if err != nil || space.Plan != plan.Free || space.Granted != plan.Free {
			t.Errorf("it is %+v, %v", space, err)
		}
	})
	t.Run("a granted plan is in force and in the log", func(t *testing.T) {
		c := newClock(t)
		c.must(c.Grants.SetPlan(audit.As(t.Context(), c.owner()), c.space.ID, plan.Premium))
		c.isOn(plan.Premium)
		if entry := c.history()[0]; entry.Actor != c.owner() || entry.Action != audit.PlanChanged ||
			entry.Detail != "Plan granted: Premium. Upgraded from Standard to Premium." {
			t.Errorf("the log says %+v", entry)
		}
	})
	t.Run("the same again changes nothing", func(t *testing.T) {
		c := newClock(t)
		before := len(c.history())
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Standard))
		if n := len(c.history()); n != before {
			t.Errorf("%d entries after %d", n, before)
		}
	})
	t.Run("a grant below the subscription has no effect yet", func(t *testing.T) {
		c := newClock(t)
		c.customer()
		c.bill(c.active(plan.Premium))
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Basic))
		c.isOn(plan.Premium)
		if entry := c.history()[0]; entry.Detail != "Plan granted: Basic." {
			t.Errorf("the log says %+v", entry)
		}
		ended := c.active(plan.Premium)
		ended.Status = plan.Unpaid
		c.bill(ended)
		c.isOn(plan.Basic)
	})
	t.Run("a lower plan keeps existing conversations as long as the previous plan", func(t *testing.T) {
		c := newClock(t)
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Premium))
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Basic))
		var got chat.Forgetful
		for kept, err := range chatstore.NewRetentions(c.store).Retentions(t.Context(), grant.Because("a test")) {
			c.must(err)
			if kept.WorkspaceID == c.space.ID {
				got = kept
			}
		}
		if got.Days != 90 || got.KeptDays != 730 || !got.KeptBefore.Equal(c.now) {
			t.Errorf("it keeps %+v", got)
		}
	})
	t.Run("an unknown plan is refused", func(t *testing.T) {
		c := newClock(t)
		err := c.Grants.SetPlan(t.Context(), c.space.ID, "gold")
		if fault.As(err).Field != "plan" {
			t.Errorf("got %v", err)
		}
		c.isA(c.Grants.SetPlan(t.Context(), "ws_nowhere", plan.Basic), fault.NotFound)
	})
}

func TestUpdatePlan(t *testing.T) {
	t.Parallel()
	standard := func(c *clock) plan.Plan {
		c.Helper()
		all, err := c.Plans.All(c.Context())
		c.must(err)
		return all[2]
	}
	t.Run("limits and prices change, title and rank do not", func(t *testing.T) {
		c := newClock(t)
		p := standard(c)
		p.Limits.MessagesPerMonth, p.Price.Monthly, p.Limits.Features = 5, 80_00, []plan.Feature{plan.FeatureSites}
		p.Title, p.Rank = "Gold", 9
		c.must(c.Plans.Update(t.Context(), p))
		got := standard(c)
		if got.Limits.MessagesPerMonth != 5 || got.Price.Monthly != 80_00 || got.Title != "Standard" || got.Rank != 2 ||
			got.Limits.Has(plan.FeatureAPI) || !got.Limits.Has(plan.FeatureSites) {
			t.Errorf("the plan is %+v", got)
		}
	})
	t.Run("a lower limit suspends in every workspace of the plan, and a higher one ends the suspension", func(t *testing.T) {
		c := newClock(t)
		c.addChatbots(3)
		p := standard(c)
		p.Limits.Chatbots = 1
		c.must(c.Plans.Update(t.Context(), p))
		c.suspended(plan.Chatbots, "cb_2", "cb_3")
		p.Limits.Chatbots = plan.Unlimited
		c.must(c.Plans.Update(t.Context(), p))
		c.suspended(plan.Chatbots)
	})
	t.Run("another plan's workspaces stay as they are", func(t *testing.T) {
		c := newClock(t)
		c.addChatbots(3)
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Premium))
		p := standard(c)
		p.Limits.Chatbots = 1
		c.must(c.Plans.Update(t.Context(), p))
		c.suspended(plan.Chatbots)
	})
	t.Run("invalid values are refused and change nothing", func(t *testing.T) {
		c := newClock(t)
		p := standard(c)
		p.Limits.Chatbots = -7
		if err := c.Plans.Update(t.Context(), p); fault.As(err).Field != "chatbots" {
			t.Errorf("got %v", err)
		}
		if got := standard(c).Limits.Chatbots; got != 10 {
			t.Errorf("the limit is %d", got)
		}
		c.isA(c.Plans.Update(t.Context(), plan.Plan{Name: "gold"}), fault.Invalid)
	})
}
