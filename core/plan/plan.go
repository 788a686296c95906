// Package plan owns the plans, their limits and prices, the rules that admit or
// refuse the use of a resource, and what a subscription gives access to.
//
// It does not own which plan a workspace has (package tenant) or how the workspace
// pays for it (package billing).
package plan

import "slices"

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

// Free is the plan of a workspace that pays for nothing.
const Free = Starter

// Unlimited as a limit admits any amount.
const Unlimited = -1

// Plan is a row of the plans table. An operator may edit its limits and prices.
type Plan struct {
	Name   Name
	Title  string
	Rank   int
	Limits Limits
	// Price is what the plan should cost, and OnSale the price at Stripe when it
	// was last read. OnSale has no currency if the plan was never on sale.
	Price, OnSale Price
}

// Limits are the amounts that a plan admits; [Unlimited] lifts one.
type Limits struct {
	// Features lists what the plan includes.
	Features []Feature
	// Chatbots is the number of chatbots of a workspace.
	Chatbots int
	// Members is the number of members of a workspace, open invitations included.
	Members int
	// TokensPerChatbot is the number of active API tokens of one chatbot.
	TokensPerChatbot int
	// MessageChars is the length of one user message, in characters.
	MessageChars int
	// MessagesPerMonth is the number of questions that a workspace's chatbots
	// answer in a calendar month, UTC.
	MessagesPerMonth int
	// PlaygroundPerMonth is the number of questions that its members ask in the
	// playground in a calendar month, UTC. They do not count in MessagesPerMonth.
	PlaygroundPerMonth int
	// KnowledgeChars is the length of all documents of a workspace, in characters.
	KnowledgeChars int
	// StoredBytes is the total size of a workspace's knowledge on disk: files
	// that wait to be read, texts, and 1,024 bytes per document.
	StoredBytes int
	// RequestsPerMinute is how many requests of the public API a workspace may
	// make in a minute.
	RequestsPerMinute int
	// ConcurrentAnswers is how many of a workspace's questions each process works
	// on at once.
	ConcurrentAnswers int
	// RetentionDays is how many days a conversation is kept after its last message.
	RetentionDays int
	// AuditDays is how many days back a workspace's members read its audit log. The operator
	// bounds for how long entries are kept at all.
	AuditDays int
}

// Feature is something that a plan includes or not.
type Feature string

// The features.
const (
	// FeatureAPI is the creation and use of API tokens.
	FeatureAPI Feature = "api"
	// FeatureSites is reading whole sites as sources of knowledge.
	FeatureSites Feature = "sites"
	// FeatureSchedules is reading sources again every day or week.
	FeatureSchedules Feature = "schedules"
	// FeatureSSO is a workspace's own single sign-on.
	FeatureSSO Feature = "sso"
)

// AllFeatures returns the features in the order in which pages show them.
func AllFeatures() []Feature {
	return []Feature{FeatureAPI, FeatureSites, FeatureSchedules, FeatureSSO}
}

// APIFrom is the lowest plan with API access. The specification of the API sets it,
// not the operator: lower plans never have access.
const APIFrom = Standard

// MayInclude reports whether a plan of this name may have a feature.
func (n Name) MayInclude(feature Feature) bool {
	return feature != FeatureAPI || !APIFrom.Above(n)
}

// Has reports whether the plan includes a feature.
func (l Limits) Has(feature Feature) bool { return slices.Contains(l.Features, feature) }

// Price is what a plan costs, in the currency's smallest unit, before taxes. Stripe
// decides what customers pay in the end.
type Price struct {
	// Monthly and Yearly are zero for a free plan, and NotSold for one that
	// customers cannot buy themselves.
	Monthly, Yearly int
	// Currency is an ISO 4217 code in lower case.
	Currency string
}

// NotSold is the price of a plan that is agreed on individually.
const NotSold = -1

// Offer returns what the plan costs a buyer now: the price on sale once it is known,
// even if the row differs.
func (p Plan) Offer() Price {
	if p.OnSale.Currency == "" {
		return p.Price
	}
	return p.OnSale
}

// SyncDue reports whether the price on sale differs from the row.
func (p Plan) SyncDue() bool {
	if p.OnSale.Currency == "" {
		return false
	}
	for _, interval := range []Interval{Monthly, Yearly} {
		wanted, sold := max(0, p.Price.Of(interval)), max(0, p.OnSale.Of(interval))
		if wanted != sold || wanted > 0 && p.Price.Currency != p.OnSale.Currency {
			return true
		}
	}
	return false
}

// Sold reports whether the plan can be bought.
func (p Price) Sold() bool { return p.Monthly > 0 || p.Yearly > 0 }

// Interval is how often a subscriber pays.
type Interval string

// The intervals.
const (
	Monthly Interval = "monthly"
	Yearly  Interval = "yearly"
)

// Of returns the price of an interval.
func (p Price) Of(interval Interval) int {
	if interval == Yearly {
		return p.Yearly
	}
	return p.Monthly
}

const (
	million = 1_000_000
	usd     = "usd"
)

// Defaults returns the rows of a new database.
func Defaults() []Plan {
	paid := []Feature{FeatureAPI, FeatureSites, FeatureSchedules, FeatureSSO}
	return []Plan{
		{Starter, "Starter", 0, Limits{
			Chatbots: 1, Members: 1, TokensPerChatbot: 0, MessageChars: 4_000, MessagesPerMonth: 100, PlaygroundPerMonth: 200,
			KnowledgeChars: 400_000, StoredBytes: 50 * million, RequestsPerMinute: 20, ConcurrentAnswers: 5, RetentionDays: 30, AuditDays: 30,
		}, Price{0, 0, usd}, Price{}},
		{Basic, "Basic", 1, Limits{
			Features: []Feature{FeatureSites},
			Chatbots: 3, Members: 3, TokensPerChatbot: 0, MessageChars: 8_000, MessagesPerMonth: 2_000, PlaygroundPerMonth: 500,
			KnowledgeChars: 2 * million, StoredBytes: 250 * million, RequestsPerMinute: 60, ConcurrentAnswers: 20, RetentionDays: 90, AuditDays: 30,
		}, Price{19_00, 190_00, usd}, Price{}},
		{Standard, "Standard", 2, Limits{
			Features: paid,
			Chatbots: 10, Members: 10, TokensPerChatbot: 10, MessageChars: 16_000, MessagesPerMonth: 20_000, PlaygroundPerMonth: 2_000,
			KnowledgeChars: 20 * million, StoredBytes: 2_000 * million, RequestsPerMinute: 300, ConcurrentAnswers: 100, RetentionDays: 365, AuditDays: 90,
		}, Price{79_00, 790_00, usd}, Price{}},
		{Premium, "Premium", 3, Limits{
			Features: paid,
			Chatbots: 50, Members: 50, TokensPerChatbot: 50, MessageChars: 32_000, MessagesPerMonth: 200_000, PlaygroundPerMonth: 10_000,
			KnowledgeChars: 100 * million, StoredBytes: 10_000 * million, RequestsPerMinute: 1_200, ConcurrentAnswers: 400, RetentionDays: 730, AuditDays: 400,
		}, Price{299_00, 2_990_00, usd}, Price{}},
		{Enterprise, "Enterprise", 4, Limits{
			Features: paid,
			Chatbots: Unlimited, Members: Unlimited, TokensPerChatbot: Unlimited, MessageChars: 64_000, MessagesPerMonth: Unlimited, PlaygroundPerMonth: Unlimited,
			KnowledgeChars: Unlimited, StoredBytes: Unlimited, RequestsPerMinute: Unlimited, ConcurrentAnswers: Unlimited, RetentionDays: Unlimited, AuditDays: Unlimited,
		}, Price{NotSold, NotSold, usd}, Price{}},
	}
}
