package tenant_test

import (
	"strings"
	"testing"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
)

func (c *clock) history() []audit.Entry {
	c.Helper()
	entries, err := c.Audit.PlanHistory(c.Context(), c.space.ID, 100)
	c.must(err)
	return entries
}

func TestKeep(t *testing.T) {
	t.Parallel()
	over := func(t *testing.T, name plan.Name) *clock {
		c := newClock(t)
		c.addChatbots(5)
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, name))
		return c
	}
	keep := func(c *clock, resource plan.Resource, ids ...string) error {
		return c.Holdings.Keep(audit.As(c.Context(), c.owner()), c.space.ID, resource, ids)
	}
	refused := func(c *clock, err error, says string) {
		c.Helper()
		if got := fault.As(err); got.Kind != fault.Invalid || !strings.Contains(got.Message, says) {
			c.Errorf("got %v, want a refusal that says %q", err, says)
		}
	}
	t.Run("the chosen ones stay active, and the log says so", func(t *testing.T) {
		c := over(t, plan.Basic)
		c.must(keep(c, plan.Chatbots, "cb_3", "cb_4", "cb_5"))
		c.suspended(plan.Chatbots, "cb_1", "cb_2")
		if entry := c.history()[0]; entry.Actor != c.owner() || entry.Action != audit.LimitsChosen ||
			entry.Detail != "3 of 5 chatbots were chosen to stay active." {
			t.Errorf("the log says %+v", entry)
		}
	})
	t.Run("up to the limit the oldest others stay active, too", func(t *testing.T) {
		c := over(t, plan.Basic)
		c.must(keep(c, plan.Chatbots, "cb_5"))
		c.suspended(plan.Chatbots, "cb_3", "cb_4")
		c.must(keep(c, plan.Chatbots))
		c.suspended(plan.Chatbots, "cb_4", "cb_5")
	})
	t.Run("a choice survives an upgrade", func(t *testing.T) {
		c := over(t, plan.Free)
		c.must(keep(c, plan.Chatbots, "cb_4"))
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Premium))
		c.suspended(plan.Chatbots)
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Free))
		c.suspended(plan.Chatbots, "cb_1", "cb_2", "cb_3", "cb_5")
	})
	t.Run("more than the plan includes is refused, and the previous choice stays", func(t *testing.T) {
		c := over(t, plan.Basic)
		c.must(keep(c, plan.Chatbots, "cb_5"))
		refused(c, keep(c, plan.Chatbots, "cb_1", "cb_2", "cb_3", "cb_4"), "The Basic plan includes only 3 of the chatbots. Choose fewer.")
		c.suspended(plan.Chatbots, "cb_3", "cb_4")
	})
	t.Run("without a limit all may be chosen", func(t *testing.T) {
		c := over(t, plan.Enterprise)
		c.must(keep(c, plan.Chatbots, "cb_1", "cb_2", "cb_3", "cb_4", "cb_5"))
	})
	t.Run("unknown ids, and ids of another kind, are refused", func(t *testing.T) {
		c := over(t, plan.Basic)
		for _, id := range []string{"cb_9", c.user.ID, ""} {
			refused(c, keep(c, plan.Chatbots, id), "Reload the page")
		}
		refused(c, keep(c, plan.Messages, "cb_1"), "chatbots, members or API tokens")
	})
	t.Run("a duplicate counts once", func(t *testing.T) {
		c := over(t, plan.Free)
		c.must(keep(c, plan.Chatbots, "cb_2", "cb_2"))
		c.suspended(plan.Chatbots, "cb_1", "cb_3", "cb_4", "cb_5")
	})
	t.Run("tokens are chosen for each chatbot", func(t *testing.T) {
		c := newClock(t)
		c.addChatbots(2)
		c.addTokens("cb_1", 3)
		c.addTokens("cb_2", 2)
		all, err := c.Plans.All(t.Context())
		c.must(err)
		all[2].Limits.TokensPerChatbot = 1
		c.must(c.Plans.Update(t.Context(), all[2]))
		c.suspended(plan.Tokens, "cb_1_2", "cb_1_3", "cb_2_2")
		c.must(keep(c, plan.Tokens, "cb_1_3", "cb_2_2"))
		c.suspended(plan.Tokens, "cb_1_1", "cb_1_2", "cb_2_1")
		refused(c, keep(c, plan.Tokens, "cb_1_1", "cb_1_2"), "includes only 1 of the API tokens of each chatbot")
	})
	t.Run("owners count as members, and need not be chosen", func(t *testing.T) {
		c := newClock(t)
		first, second := c.addMember("first", tenant.RoleMember), c.addMember("second", tenant.RoleAdmin)
		third := c.addMember("third", tenant.RoleMember)
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Basic))
		c.must(keep(c, plan.Members, second, third))
		c.suspended(plan.Members, first)
		c.must(keep(c, plan.Members, c.user.ID, first, third))
		c.suspended(plan.Members, second)
		refused(c, keep(c, plan.Members, first, second, third), "the oldest owner among them")
	})
}
