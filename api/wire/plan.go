package wire

import "parley/core/plan"

// Plan is a plan. It has limits as numbers, with -1 for unlimited, and prices in the currency's
// smallest unit, with -1 for not sold.
type Plan struct {
	Name              string   `json:"name"`
	Chatbots          int      `json:"chatbots"`
	Members           int      `json:"members"`
	TokensPerChatbot  int      `json:"tokens_per_chatbot"`
	MessageChars      int      `json:"message_chars"`
	MessagesPerMonth  int      `json:"messages_per_month"`
	Playground        int      `json:"playground_per_month"`
	KnowledgeChars    int      `json:"knowledge_chars"`
	StoredBytes       int      `json:"stored_bytes"`
	RequestsPerMinute int      `json:"requests_per_minute"`
	ConcurrentAnswers int      `json:"concurrent_answers"`
	RetentionDays     int      `json:"retention_days"`
	AuditDays         int      `json:"audit_days"`
	Features          []string `json:"features"`
	PriceMonthly      int      `json:"price_monthly"`
	PriceYearly       int      `json:"price_yearly"`
	Currency          string   `json:"currency"`
}

// PlanToWire returns a plan.
func PlanToWire(p plan.Plan) Plan {
	l := p.Limits
	return Plan{
		string(p.Name), l.Chatbots, l.Members, l.TokensPerChatbot, l.MessageChars, l.MessagesPerMonth, l.PlaygroundPerMonth,
		l.KnowledgeChars, l.StoredBytes, l.RequestsPerMinute, l.ConcurrentAnswers, l.RetentionDays, l.AuditDays,
		MapSlice(l.Features, func(f plan.Feature) string { return string(f) }), p.Price.Monthly, p.Price.Yearly, p.Price.Currency,
	}
}
