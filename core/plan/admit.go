package plan

import (
	"fmt"

	"parley/core/fault"
)

// Resource is something that a plan limits.
type Resource int

// The limited resources.
const (
	// API, Sites and Schedules are the use of a feature; used is ignored.
	API Resource = iota
	Sites
	Schedules
	SSO
	// Chatbots, Members, Tokens, KnowledgeChars, StoredBytes, Messages and Playground
	// count the total after the request. Messages and Playground count the month's total.
	Chatbots
	Members
	Tokens
	KnowledgeChars
	StoredBytes
	Messages
	Playground
	// MessageChars is the length of one message.
	MessageChars
)

// Admit refuses the use of a resource beyond the plan. Used is the amount that would
// be in use afterward. The fault names the plan, the limit and the remedy. It is
// Forbidden; for Messages it is RateLimited and for MessageChars Invalid.
func (p Plan) Admit(resource Resource, used int) error {
	switch resource {
	case API:
		return p.admitAPI()
	case Sites:
		return p.include(FeatureSites, "does not read whole sites. Add single pages, or upgrade to the Basic plan or above.")
	case Schedules:
		return p.include(FeatureSchedules, "does not read sources again automatically. Read them again by hand, or upgrade to the Standard plan or above.")
	case SSO:
		return p.include(FeatureSSO, "has no single sign-on for a workspace. Upgrade to the Standard plan or above.")
	case Chatbots:
		return p.refuse(used, p.Limits.Chatbots, "chatbot", "chatbots", "Delete one or upgrade the plan.")
	case Members:
		return p.refuse(used, p.Limits.Members, "member", "members", "Remove a member or an invitation, or upgrade the plan.")
	case Tokens:
		if err := p.admitAPI(); err != nil {
			return err
		}
		return p.refuse(used, p.Limits.TokensPerChatbot, "active API token for each chatbot", "active API tokens for each chatbot", "Revoke one or upgrade the plan.")
	case KnowledgeChars:
		return p.refuse(used, p.Limits.KnowledgeChars, "character of knowledge", "characters of knowledge", "Remove documents or upgrade the plan.")
	case StoredBytes:
		if exceeds(used, p.Limits.StoredBytes) {
			return fault.New(fault.Forbidden, "The %s plan stores up to %s of files and texts. Remove documents or files that could not be read, or upgrade the plan.", p.Title, Megabytes(p.Limits.StoredBytes)).Named(fault.PlanLimit)
		}
		return nil
	case Messages:
		if exceeds(used, p.Limits.MessagesPerMonth) {
			return fault.New(fault.RateLimited, "The %s plan includes %d messages a month, and you have used them all. Wait for the next month or upgrade the plan.", p.Title, p.Limits.MessagesPerMonth).Named(fault.QuotaExceeded)
		}
		return nil
	case Playground:
		if exceeds(used, p.Limits.PlaygroundPerMonth) {
			return fault.New(fault.RateLimited, "Your playground questions for this month are used up: the %s plan includes %d. Wait for the next month or upgrade the plan.", p.Title, p.Limits.PlaygroundPerMonth).Named(fault.QuotaExceeded)
		}
		return nil
	case MessageChars:
		if exceeds(used, p.Limits.MessageChars) {
			return fault.InField("message", "message is longer than %d characters, the limit of the %s plan. Shorten it.", p.Limits.MessageChars, p.Title)
		}
		return nil
	}
	return fault.New(fault.Internal, "unknown plan resource %d", resource)
}

func (p Plan) admitAPI() error {
	return p.include(FeatureAPI, "has no API access. Upgrade to the Standard plan or above to create and use API tokens.")
}

func (p Plan) include(feature Feature, lacking string) error {
	if p.Limits.Has(feature) && p.Name.MayInclude(feature) {
		return nil
	}
	return fault.New(fault.Forbidden, "The %s plan %s", p.Title, lacking).Named(fault.PlanRequired)
}

func (p Plan) refuse(used, limit int, one, many, remedy string) error {
	if !exceeds(used, limit) {
		return nil
	}
	what := many
	if limit == 1 {
		what = one
	}
	return fault.New(fault.Forbidden, "The %s plan includes %d %s. %s", p.Title, limit, what, remedy).Named(fault.PlanLimit)
}

// Megabytes formats a number of bytes for people, in millions of bytes.
func Megabytes(bytes int) string {
	if bytes%million == 0 {
		return fmt.Sprintf("%d MB", bytes/million)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/million)
}

func exceeds(used, limit int) bool { return limit != Unlimited && used > limit }
