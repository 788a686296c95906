package wire

import (
	"parley/core/chatbot"
	"parley/core/plan"
)

// Chatbot is a chatbot as its operators list it.
type Chatbot struct {
	ID               string `json:"id"`
	WorkspaceID      string `json:"workspace_id"`
	Name             string `json:"name"`
	SeparateEndUsers bool   `json:"separate_end_users"`
	CreatedAt        string `json:"created_at"`
}

// ChatbotToWire returns a chatbot.
func ChatbotToWire(b chatbot.Chatbot) Chatbot {
	return Chatbot{b.ID, b.WorkspaceID, b.Name, b.SeparateEndUsers, timestamp(b.CreatedAt)}
}

// Profile is what a page must know of a chatbot before it asks. Everybody may read it:
// publishable tokens show it.
type Profile struct {
	ChatbotID        string   `json:"chatbot_id"`
	Name             string   `json:"name"`
	Welcome          string   `json:"welcome"`
	Suggestions      []string `json:"suggestions"`
	SeparateEndUsers bool     `json:"separate_end_users"`
	Limits           Limits   `json:"limits"`
}

// ProfileToWire returns the profile of a caller's chatbot, with a greeting.
func ProfileToWire(p *chatbot.Principal, greeting chatbot.Greeting) Profile {
	bot := &p.Chatbot
	return Profile{bot.ID, bot.Name, greeting.Welcome, orEmpty(greeting.SuggestedQuestions), bot.SeparateEndUsers, limitsToWire(p)}
}

// Greeting is what people see before they ask, for a member.
type Greeting struct {
	Questions []string `json:"questions"`
	Welcome   string   `json:"welcome"`
}

// GreetingToWire returns a greeting.
func GreetingToWire(g chatbot.Greeting) Greeting {
	return Greeting{orEmpty(g.SuggestedQuestions), g.Welcome}
}

// Limits are the limits of whoever asks; null stands for none.
type Limits struct {
	MessageChars      *int `json:"message_chars"`
	RequestsPerMinute *int `json:"requests_per_minute"`
	MessagesPerMonth  *int `json:"messages_per_month"`
}

// limitsToWire returns the lowest limits of a caller. A publishable token shows only its
// visitor's limits, as the headers of the API's answers do.
func limitsToWire(p *chatbot.Principal) Limits {
	token, included := p.Token, p.Plan.Limits
	if token.Kind == chatbot.PublishableToken {
		return Limits{MessageChars: lowest(included.MessageChars), RequestsPerMinute: lowest(orUnlimited(token.VisitorRequestsPerMinute))}
	}
	return Limits{
		MessageChars:      lowest(included.MessageChars),
		RequestsPerMinute: lowest(included.RequestsPerMinute, orUnlimited(token.RequestsPerMinute)),
		MessagesPerMonth:  lowest(included.MessagesPerMonth, orUnlimited(token.MessagesPerMonth)),
	}
}

// orUnlimited is the limit of a token, which is zero where it has none.
func orUnlimited(limit int) int {
	if limit == 0 {
		return plan.Unlimited
	}
	return limit
}

// lowest is the lowest of some limits, or nil if none of them limits.
func lowest(limits ...int) (least *int) {
	for _, limit := range limits {
		if limit != plan.Unlimited && (least == nil || limit < *least) {
			least = &limit
		}
	}
	return least
}

// Retention is what is kept of a chatbot's conversations.
type Retention struct {
	StoreMessages bool `json:"store_messages"`
	// RetentionDays is null for as long as the plan says.
	RetentionDays *int `json:"retention_days"`
}

// RetentionToWire returns what is kept.
func RetentionToWire(r chatbot.Retention) Retention {
	return Retention{StoreMessages: !r.DiscardMessages, RetentionDays: unlessZero(r.RetentionDays)}
}
