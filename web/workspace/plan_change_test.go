package workspace

import (
	"slices"
	"strings"
	"testing"

	"parley/core/plan"
	"parley/core/tenant"
	views "parley/views/workspace"
	"parley/web/page"
)

func limitsOf(name plan.Name) plan.Limits {
	return page.Catalog{Plans: plan.Defaults()}.Find(name).Limits
}

func TestChanges(t *testing.T) {
	up := changesTo(limitsOf(plan.Standard), limitsOf(plan.Basic), tenant.Usage{Chatbots: 3})
	t.Run("an upgrade says what is gained", func(t *testing.T) {
		for _, gain := range []string{"API access", "Sources that are read again by themselves", "10 instead of 3 chatbots", "20,000 instead of 2,000 messages a month"} {
			if !slices.Contains(up.Gains, gain) {
				t.Errorf("%q is not among %q", gain, up.Gains)
			}
		}
	})
	t.Run("an upgrade loses nothing, and nothing is suspended", func(t *testing.T) {
		if len(up.Loses)+len(up.Exceeded) != 0 {
			t.Errorf("it loses %q, and says %q", up.Loses, up.Exceeded)
		}
	})
	t.Run("what both plans have alike is not named", func(t *testing.T) {
		if slices.Contains(up.Gains, "Whole sites as sources") {
			t.Errorf("it is among %q", up.Gains)
		}
	})
	t.Run("unlimited is more than any number, and less than it nothing", func(t *testing.T) {
		c := changesTo(limitsOf(plan.Enterprise), limitsOf(plan.Premium), tenant.Usage{Chatbots: 1_000})
		if !slices.Contains(c.Gains, "Unlimited instead of 50 chatbots") || len(c.Loses) != 0 {
			t.Errorf("it gains %q and loses %q", c.Gains, c.Loses)
		}
	})

	down := changesTo(limitsOf(plan.Starter), limitsOf(plan.Standard), tenant.Usage{
		Chatbots: 4, Members: 3, TokensPerChatbot: 2, MessagesPerMonth: 1_500, KnowledgeChars: 500_000,
	})
	t.Run("a downgrade says what is lost", func(t *testing.T) {
		for _, loss := range []string{"API access", "Whole sites as sources", "1 instead of 10 chatbots"} {
			if !slices.Contains(down.Loses, loss) {
				t.Errorf("%q is not among %q", loss, down.Loses)
			}
		}
	})
	t.Run("a downgrade says what becomes of what is in use", func(t *testing.T) {
		want := []string{
			"There are 4 chatbots: 3 would be suspended.",
			"There are 3 members and invitations: all but 1 could look but not change anything.",
			"API tokens would stop answering, until the plan has API access again.",
			"1,500 messages have been used this month: no more would be answered until the next.",
			"There are 500,000 characters of knowledge: nothing could be added.",
			"New conversations would be deleted 30 days after their last message. Existing ones would be kept as long as now.",
		}
		if !slices.Equal(down.Exceeded, want) {
			t.Errorf("it says %q", down.Exceeded)
		}
	})
	t.Run("what fits is not said to be too much", func(t *testing.T) {
		c := changesTo(limitsOf(plan.Basic), limitsOf(plan.Standard), tenant.Usage{Chatbots: 3, KnowledgeChars: 2_000_000})
		if len(c.Exceeded) != 1 || !strings.Contains(c.Exceeded[0], "deleted 90 days") {
			t.Errorf("it says %q", c.Exceeded)
		}
	})
	t.Run("fewer tokens are counted", func(t *testing.T) {
		c := changesTo(limitsOf(plan.Standard), limitsOf(plan.Premium), tenant.Usage{TokensPerChatbot: 12})
		if !slices.Contains(c.Exceeded, "A chatbot has 12 API tokens: 2 would stop answering.") {
			t.Errorf("it says %q", c.Exceeded)
		}
	})
}

func TestUsage(t *testing.T) {
	rows := func(name plan.Name) []views.Usage {
		return usage(limitsOf(name), tenant.Usage{Chatbots: 2, MessagesPerMonth: 1_234})
	}
	t.Run("what is in use stands beside the limit", func(t *testing.T) {
		got := rows(plan.Basic)
		if len(got) != 7 || got[0].Text != "2 of 3" || got[0].Over || got[3].Text != "1,234 of 2,000" {
			t.Errorf("the rows are %+v", got)
		}
	})
	t.Run("what is above the limit is said to be", func(t *testing.T) {
		if got := rows(plan.Starter); !got[0].Over || !got[3].Over || got[1].Over {
			t.Errorf("the rows are %+v", got)
		}
	})
	t.Run("without a limit there is none", func(t *testing.T) {
		if got := rows(plan.Enterprise); got[0].Text != "2, no limit" || got[0].Over {
			t.Errorf("the row is %+v", got[0])
		}
	})
}
