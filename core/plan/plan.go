// Package plan owns the plans, their limits and the one rule that admits or
// refuses the use of a resource.
//
// It does not own which plan a workspace has (package tenant) nor what a plan
// costs (package billing).
package plan

import (
	"parley/core/fault"
)

// Name identifies a plan.
type Name string

// The plans, in order.
const (
	Starter    Name = "starter"
	Basic      Name = "basic"
	Standard   Name = "standard"
	Premium    Name = "premium"
	Enterprise Name = "enterprise"
)

// Unlimited as a limit admits any amount.
const Unlimited = -1

// Plan is a row of the plans table: a rank in the order of plans and limits.
type Plan struct {
	Name   Name
	Title  string
	Rank   int
	Limits Limits
}

// Limits are the amounts that a plan admits; [Unlimited] lifts one.
type Limits struct {
	// APIAccess says whether API tokens can be created and used.
	APIAccess bool
	// Chatbots is the number of chatbots of a workspace.
	Chatbots int
	// Members is the number of members of a workspace, open invitations included.
	Members int
	// TokensPerChatbot is the number of active API tokens of one chatbot.
	TokensPerChatbot int
	// MessageChars is the length of one user message, in characters.
	MessageChars int
	// KnowledgeChars is the length of all documents of a workspace, in characters.
	KnowledgeChars int
}

// Defaults are the rows that a new database starts with. An operator may edit
// the limits of the rows afterwards.
func Defaults() []Plan {
	return []Plan{
		{Starter, "Starter", 0, Limits{false, 1, 1, 0, 4_000, 400_000}},
		{Basic, "Basic", 1, Limits{false, 3, 3, 0, 8_000, 2_000_000}},
		{Standard, "Standard", 2, Limits{true, 10, 10, 10, 16_000, 20_000_000}},
		{Premium, "Premium", 3, Limits{true, 50, 50, 50, 32_000, 100_000_000}},
		{Enterprise, "Enterprise", 4, Limits{true, Unlimited, Unlimited, Unlimited, 64_000, Unlimited}},
	}
}

// Resource is something that a plan limits.
type Resource int

// The limited resources.
const (
	// API is the use of the public API; used does not matter.
	API Resource = iota
	// Chatbots, Members, Tokens and KnowledgeChars count what would be in use
	// after the request.
	Chatbots
	Members
	Tokens
	KnowledgeChars
	// MessageChars is the length of one message.
	MessageChars
)

// Admit refuses the use of a resource that the plan does not cover. Used is
// the amount that would be in use afterwards. The fault names the plan, the
// limit and the remedy.
func (p Plan) Admit(resource Resource, used int) error {
	if resource == API || resource == Tokens {
		if !p.Limits.APIAccess {
			return fault.New(fault.Forbidden,
				"The %s plan has no API access. Upgrade to the Standard plan or above to create and use API tokens.", p.Title)
		}
	}
	switch resource {
	case API:
		return nil
	case Chatbots:
		return p.refuse(used, p.Limits.Chatbots, "chatbot", "chatbots", "Delete one or upgrade the plan.")
	case Members:
		return p.refuse(used, p.Limits.Members, "member", "members", "Remove a member or an invitation, or upgrade the plan.")
	case Tokens:
		return p.refuse(used, p.Limits.TokensPerChatbot, "active API token for each chatbot", "active API tokens for each chatbot", "Revoke one or upgrade the plan.")
	case KnowledgeChars:
		return p.refuse(used, p.Limits.KnowledgeChars, "character of knowledge", "characters of knowledge", "Remove documents or upgrade the plan.")
	case MessageChars:
		if exceeds(used, p.Limits.MessageChars) {
			return fault.InField("message", "message is longer than %d characters, the limit of the %s plan. Shorten it.", p.Limits.MessageChars, p.Title)
		}
		return nil
	}
	return fault.New(fault.Internal, "unknown plan resource %d", resource)
}

func (p Plan) refuse(used, limit int, one, many, remedy string) error {
	if !exceeds(used, limit) {
		return nil
	}
	what := many
	if limit == 1 {
		what = one
	}
	return fault.New(fault.Forbidden, "The %s plan includes %d %s. %s", p.Title, limit, what, remedy)
}

func exceeds(used, limit int) bool { return limit != Unlimited && used > limit }
