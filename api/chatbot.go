package api

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/chatbot"
	"parley/core/plan"
)

// profile is the handler of what a page must know of a chatbot before it asks.
type profile struct{ *API }

// profileData answers GET /chatbot. Everybody may read it: publishable tokens show it.
type profileData struct {
	ChatbotID        string     `json:"chatbot_id"`
	Name             string     `json:"name"`
	Welcome          string     `json:"welcome"`
	Suggestions      []string   `json:"suggestions"`
	SeparateEndUsers bool       `json:"separate_end_users"`
	Limits           limitsData `json:"limits"`
}

// limitsData are the limits of whoever asks; null stands for none.
type limitsData struct {
	MessageChars      *int `json:"message_chars"`
	RequestsPerMinute *int `json:"requests_per_minute"`
	MessagesPerMonth  *int `json:"messages_per_month"`
}

// show says what the chatbot of a token is called, what to ask it and how much.
func (h profile) show(c *fiber.Ctx, by caller) error {
	if err := h.count(c.UserContext(), by.Principal); err != nil {
		return err
	}
	bot := by.Chatbot
	greeting, err := h.Browser.Greeting(c.UserContext(), bot)
	if err != nil {
		return err
	}
	return succeed(c, profileData{bot.ID, bot.Name, greeting.Welcome, orEmpty(greeting.SuggestedQuestions), bot.SeparateEndUsers, limitsToWire(by.Principal)})
}

// limitsToWire returns the lowest limits of a caller. A publishable token shows only its
// network's limits, as the headers do: see [API.sayLimits].
func limitsToWire(p *chatbot.Principal) limitsData {
	token, included := p.Token, p.Plan.Limits
	if token.Kind == chatbot.PublishableToken {
		return limitsData{MessageChars: lowest(included.MessageChars), RequestsPerMinute: lowest(orUnlimited(token.VisitorRequestsPerMinute))}
	}
	return limitsData{
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
