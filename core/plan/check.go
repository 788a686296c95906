package plan

import (
	"slices"
	"strings"

	"parley/core/fault"
)

// The most that an operator can set. Beyond that use [Unlimited], except for
// messages, which are read into memory completely.
const (
	maxAmount       = 1_000_000_000
	maxBytes        = 1_000_000_000_000_000
	maxMessageChars = 64_000
	maxDays         = 36_500
	// leastBytes prevents mistaking megabytes for bytes.
	leastBytes = 1_000_000
	// maxPrice is Stripe's limit: eight digits.
	maxPrice = 99_999_999
)

// amount is a limit with its field name and its range.
type amount struct {
	field              string
	value, least, most int
	lifted             bool
}

// Check refuses invalid limits and prices.
func (p Plan) Check() error {
	l := p.Limits
	for _, a := range []amount{
		{"chatbots", l.Chatbots, 0, maxAmount, true},
		{"members", l.Members, 1, maxAmount, true},
		{"tokens_per_chatbot", l.TokensPerChatbot, 0, maxAmount, true},
		{"message_chars", l.MessageChars, 1, maxMessageChars, false},
		{"messages_per_month", l.MessagesPerMonth, 0, maxAmount, true},
		{"playground_per_month", l.PlaygroundPerMonth, 0, maxAmount, true},
		{"knowledge_chars", l.KnowledgeChars, 0, maxAmount, true},
		{"stored_bytes", l.StoredBytes, leastBytes, maxBytes, true},
		{"requests_per_minute", l.RequestsPerMinute, 1, maxAmount, true},
		{"concurrent_answers", l.ConcurrentAnswers, 1, maxAmount, true},
		{"retention_days", l.RetentionDays, 1, maxDays, true},
		{"audit_days", l.AuditDays, 1, maxDays, true},
	} {
		if err := a.check(); err != nil {
			return err
		}
	}
	if err := p.checkFeatures(); err != nil {
		return err
	}
	return p.checkPrice()
}

func (a amount) check() error {
	if a.lifted && a.value == Unlimited || a.value >= a.least && a.value <= a.most {
		return nil
	}
	if a.lifted {
		return fault.InField(a.field, "%s must be from %d to %d, or %d for no limit.", a.field, a.least, a.most, Unlimited)
	}
	return fault.InField(a.field, "%s must be from %d to %d.", a.field, a.least, a.most)
}

func (p Plan) checkFeatures() error {
	for i, feature := range p.Limits.Features {
		if !slices.Contains(AllFeatures(), feature) || slices.Contains(p.Limits.Features[:i], feature) {
			return fault.InField("features", "features must be some of api, sites and schedules, each once.")
		}
		if !p.Name.MayInclude(feature) {
			return fault.InField("features", "The %s plan cannot include api: API access begins with the %s plan. Leave api out of its features.", p.Title, APIFrom.Title())
		}
	}
	return nil
}

func (p Plan) checkPrice() error {
	if err := p.checkAmount("price_monthly", p.Price.Monthly); err != nil {
		return err
	}
	if err := p.checkAmount("price_yearly", p.Price.Yearly); err != nil {
		return err
	}
	if len(p.Price.Currency) != 3 || strings.Trim(p.Price.Currency, "abcdefghijklmnopqrstuvwxyz") != "" {
		return fault.InField("currency", "currency must be an ISO 4217 code in lower case, such as usd.")
	}
	return nil
}

func (p Plan) checkAmount(field string, price int) error {
	switch {
	case p.Name == Free && price != 0:
		return fault.InField(field, "The %s plan must be free, because workspaces fall back to it when a subscription ends.", p.Title)
	case p.Name != Free && price != NotSold && (price < 1 || price > maxPrice):
		return fault.InField(field, "%s must be from 1 to %d in the currency's smallest unit, or %d if it is not sold.", field, maxPrice, NotSold)
	}
	return nil
}
