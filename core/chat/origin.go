package chat

import (
	"strings"
	"time"
	"unicode/utf8"

	"parley/core/chatbot"
	"parley/core/plan"
)

// Origin says where a conversation was begun.
type Origin string

// The origins of a conversation.
const (
	// API is a program with a token.
	API Origin = "api"
	// Playground is a member who tries the chatbot in the dashboard. What is said
	// there counts in a month of its own, and is left out of analytics.
	Playground Origin = "playground"
)

// OriginOf is the origin of the conversations that a caller begins.
func OriginOf(p *chatbot.Principal) Origin {
	if p.MemberID != "" {
		return Playground
	}
	return API
}

// limit is how many messages of an origin a plan includes in a month.
func (o Origin) limit(p plan.Plan) (limit int, resource plan.Resource) {
	if o == Playground {
		return p.Limits.PlaygroundPerMonth, plan.Playground
	}
	return p.Limits.MessagesPerMonth, plan.Messages
}

// month is the month of a time in which messages of the origin count.
func (o Origin) month(at time.Time) string {
	_, resource := o.limit(plan.Plan{})
	return plan.MonthOf(resource, at)
}

// maxTitle is how many characters of its first question are a conversation's
// title.
const maxTitle = 120

// TitleOf is the title of a conversation that begins with a question: its
// beginning, on one line.
func TitleOf(question string) string {
	title := strings.Join(strings.Fields(question), " ")
	if utf8.RuneCountInString(title) <= maxTitle {
		return title
	}
	cut := string([]rune(title)[:maxTitle-1])
	if at := strings.LastIndexByte(cut, ' '); at > len(cut)/2 {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, " ,;:.-–") + "…"
}
