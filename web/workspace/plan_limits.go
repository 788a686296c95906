package workspace

import (
	"fmt"

	"parley/core/plan"
	"parley/core/tenant"
)

const megabyte = 1_000_000

// limits are the amounts that plans include, in the order of the page.
var limits = []struct {
	// name heads the row, and many ends a sentence after a number.
	name, many string
	// meter is the name of the usage row, name if empty.
	meter string
	of    func(plan.Limits) int
	// used is nil for a limit without a sum.
	used func(tenant.Usage) int
	// over says what happens above the limit.
	over func(used, limit int) string
}{
	{
		"Chatbots", "chatbots", "Chatbots",
		func(l plan.Limits) int { return l.Chatbots },
		func(u tenant.Usage) int { return u.Chatbots },
		func(used, limit int) string {
			return fmt.Sprintf("There are %s chatbots: %s would be suspended.", plan.Thousands(used), plan.Thousands(used-limit))
		},
	},
	{
		"Members", "members", "Members and invitations",
		func(l plan.Limits) int { return l.Members },
		func(u tenant.Usage) int { return u.Members },
		func(used, limit int) string {
			return fmt.Sprintf("There are %s members and invitations: all but %s could look but not change anything.", plan.Thousands(used), plan.Thousands(limit))
		},
	},
	{
		"API tokens of a chatbot", "API tokens of a chatbot", "API tokens (busiest chatbot)",
		func(l plan.Limits) int {
			if !l.Has(plan.FeatureAPI) {
				return 0
			}
			return l.TokensPerChatbot
		},
		func(u tenant.Usage) int { return u.TokensPerChatbot },
		func(used, limit int) string {
			if limit == 0 {
				return "API tokens would stop answering, until the plan has API access again."
			}
			return fmt.Sprintf("A chatbot has %s API tokens: %s would stop answering.", plan.Thousands(used), plan.Thousands(used-limit))
		},
	},
	{
		"Messages a month", "messages a month", "Messages this month",
		func(l plan.Limits) int { return l.MessagesPerMonth },
		func(u tenant.Usage) int { return u.MessagesPerMonth },
		func(used, _ int) string {
			return fmt.Sprintf("%s messages have been used this month: no more would be answered until the next.", plan.Thousands(used))
		},
	},
	{
		"Playground questions a month", "playground questions a month", "Playground questions this month",
		func(l plan.Limits) int { return l.PlaygroundPerMonth },
		func(u tenant.Usage) int { return u.PlaygroundPerMonth },
		func(used, _ int) string {
			return fmt.Sprintf("%s playground questions have been asked this month: the playground would answer no more until the next.", plan.Thousands(used))
		},
	},
	{
		"Characters of knowledge", "characters of knowledge", "Knowledge, in characters",
		func(l plan.Limits) int { return l.KnowledgeChars },
		func(u tenant.Usage) int { return u.KnowledgeChars },
		func(used, _ int) string {
			return fmt.Sprintf("There are %s characters of knowledge: nothing could be added.", plan.Thousands(used))
		},
	},
	{
		"Megabytes of files and texts", "megabytes of files and texts", "Storage, in megabytes",
		func(l plan.Limits) int {
			if l.StoredBytes == plan.Unlimited {
				return plan.Unlimited
			}
			return l.StoredBytes / megabyte
		},
		func(u tenant.Usage) int { return (u.StoredBytes + megabyte - 1) / megabyte },
		func(used, _ int) string {
			return fmt.Sprintf("There are %s megabytes of files and texts: nothing could be added.", plan.Thousands(used))
		},
	},
	{name: "Characters of a message", many: "characters of a message", of: func(l plan.Limits) int { return l.MessageChars }},
	{name: "Requests a minute", many: "requests a minute", of: func(l plan.Limits) int { return l.RequestsPerMinute }},
	{name: "Answers at once", many: "answers at once", of: func(l plan.Limits) int { return l.ConcurrentAnswers }},
	{name: "Days that conversations are kept", many: "days that conversations are kept", of: func(l plan.Limits) int { return l.RetentionDays }},
	{name: "Days of the audit log", many: "days of the audit log", of: func(l plan.Limits) int { return l.AuditDays }},
}

// features are what plans include or not, in the order of the page.
var features = []struct {
	feature plan.Feature
	name    string
}{
	{plan.FeatureAPI, "API access"},
	{plan.FeatureSites, "Whole sites as sources"},
	{plan.FeatureSchedules, "Sources that are read again by themselves"},
	{plan.FeatureSSO, "Single sign-on of your own"},
}

func amount(limit int) string {
	if limit == plan.Unlimited {
		return "Unlimited"
	}
	return plan.Thousands(limit)
}

// points are what people compare plans by.
func points(l plan.Limits) []string {
	count := func(n int, one, many string) string {
		switch n {
		case 1:
			return "1 " + one
		case plan.Unlimited:
			return "Unlimited " + many
		}
		return plan.Thousands(n) + " " + many
	}
	return []string{
		count(l.MessagesPerMonth, "message a month", "messages a month"), count(l.Chatbots, "chatbot", "chatbots"),
		count(l.Members, "member", "members"), count(l.KnowledgeChars, "character of knowledge", "characters of knowledge"),
	}
}

// difference is the one thing that a plan has and the plan below it lacks: a
// feature, or else its messages.
func difference(plans []plan.Plan, at int) (plus, what string) {
	l := plans[at].Limits
	if at == 0 {
		return "To try it out:", amount(l.PlaygroundPerMonth) + " playground questions a month"
	}
	below := plans[at-1]
	plus = "Everything in " + below.Title + ", plus:"
	for _, f := range features {
		if l.Has(f.feature) && !below.Limits.Has(f.feature) {
			return plus, f.name
		}
	}
	return plus, amount(l.MessagesPerMonth) + " messages a month"
}
