package billing

import (
	"context"

	"parley/core/plan"
	ent "parley/ent/generated"
	entplan "parley/ent/generated/plan"
	"parley/store"
)

// Plans keeps the plans.
type Plans struct{ store *store.Store }

// NewPlans returns the plans of a database.
func NewPlans(db *store.Store) *Plans { return &Plans{db} }

// Plans returns all plans in order.
func (s *Plans) Plans(ctx context.Context) ([]plan.Plan, error) {
	rows, err := s.store.Client(ctx).Plan.Query().Order(entplan.ByRank()).All(ctx)
	return store.Mapped(rows, err, store.PlanFromRow)
}

// UpdatePlan writes a plan's limits and price.
func (s *Plans) UpdatePlan(ctx context.Context, p plan.Plan) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.Plan.Update().Where(entplan.ID(string(p.Name))).
			SetFeatures(store.FeaturesToColumn(p.Limits.Features)).SetChatbots(p.Limits.Chatbots).SetMembers(p.Limits.Members).
			SetTokensPerChatbot(p.Limits.TokensPerChatbot).SetMessageChars(p.Limits.MessageChars).
			SetMessagesPerMonth(p.Limits.MessagesPerMonth).SetPlaygroundPerMonth(p.Limits.PlaygroundPerMonth).SetKnowledgeChars(p.Limits.KnowledgeChars).SetStoredBytes(p.Limits.StoredBytes).
			SetRequestsPerMinute(p.Limits.RequestsPerMinute).SetConcurrentAnswers(p.Limits.ConcurrentAnswers).SetRetentionDays(p.Limits.RetentionDays).SetAuditDays(p.Limits.AuditDays).
			SetMonthlyPrice(p.Price.Monthly).SetYearlyPrice(p.Price.Yearly).SetCurrency(p.Price.Currency).Save(ctx))
	})
}

// SetOnSale writes what a plan is sold for.
func (s *Plans) SetOnSale(ctx context.Context, name plan.Name, price plan.Price) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.Plan.Update().Where(entplan.ID(string(name))).
			SetSoldMonthlyPrice(price.Monthly).SetSoldYearlyPrice(price.Yearly).SetSoldCurrency(price.Currency).Save(ctx))
	})
}

// Plan returns one plan.
func (s *Plans) Plan(ctx context.Context, name plan.Name) (plan.Plan, error) {
	return s.store.Plan(ctx, name)
}
