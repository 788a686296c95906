package store

import (
	"context"
	"fmt"
	"slices"

	"parley/core/fault"
	"parley/core/plan"
	ent "parley/ent/generated"
)

// Plan returns one plan.
func (s *Store) Plan(ctx context.Context, name plan.Name) (plan.Plan, error) {
	row, err := s.Client(ctx).Plan.Get(ctx, string(name))
	return One(row, err, PlanFromRow)
}

// addPlans adds those plans that are missing, as they are by default. Of several processes
// that start at once, the first adds a plan.
func (s *Store) addPlans(ctx context.Context) error {
	known, err := s.Client(ctx).Plan.Query().IDs(ctx)
	if err != nil {
		return fmt.Errorf("reading the plans: %w", err)
	}
	for _, p := range plan.Defaults() {
		if slices.Contains(known, string(p.Name)) {
			continue
		}
		err := s.Write(ctx, func(ctx context.Context, db *ent.Client) error {
			return db.Plan.Create().SetID(string(p.Name)).SetTitle(p.Title).SetRank(p.Rank).
				SetFeatures(FeaturesToColumn(p.Limits.Features)).SetChatbots(p.Limits.Chatbots).SetMembers(p.Limits.Members).
				SetTokensPerChatbot(p.Limits.TokensPerChatbot).SetMessageChars(p.Limits.MessageChars).
				SetMessagesPerMonth(p.Limits.MessagesPerMonth).SetPlaygroundPerMonth(p.Limits.PlaygroundPerMonth).SetKnowledgeChars(p.Limits.KnowledgeChars).SetStoredBytes(p.Limits.StoredBytes).
				SetRequestsPerMinute(p.Limits.RequestsPerMinute).SetConcurrentAnswers(p.Limits.ConcurrentAnswers).SetRetentionDays(p.Limits.RetentionDays).SetAuditDays(p.Limits.AuditDays).
				SetMonthlyPrice(p.Price.Monthly).SetYearlyPrice(p.Price.Yearly).SetCurrency(p.Price.Currency).Exec(ctx)
		})
		if err != nil && !fault.Is(err, fault.Conflict) {
			return fmt.Errorf("adding plan %s: %w", p.Name, err)
		}
	}
	return nil
}

// FeaturesToColumn is the names of features.
func FeaturesToColumn(features []plan.Feature) []string {
	out := make([]string, len(features))
	for i, f := range features {
		out[i] = string(f)
	}
	return out
}

// featuresFromRow leaves out what a plan of this name may not have: a row may be
// older than the rule, or written by hand.
func featuresFromRow(of plan.Name, names []string) (features []plan.Feature) {
	for _, name := range names {
		if feature := plan.Feature(name); of.MayInclude(feature) {
			features = append(features, feature)
		}
	}
	return features
}

// PlanFromRow is a plan.
func PlanFromRow(row *ent.Plan) plan.Plan {
	p := plan.Plan{
		Name: plan.Name(row.ID), Title: row.Title, Rank: row.Rank,
		Limits: plan.Limits{
			Features: featuresFromRow(plan.Name(row.ID), row.Features), Chatbots: row.Chatbots, Members: row.Members,
			TokensPerChatbot: row.TokensPerChatbot, MessageChars: row.MessageChars,
			MessagesPerMonth: row.MessagesPerMonth, PlaygroundPerMonth: row.PlaygroundPerMonth, KnowledgeChars: row.KnowledgeChars, StoredBytes: row.StoredBytes,
			RequestsPerMinute: row.RequestsPerMinute, ConcurrentAnswers: row.ConcurrentAnswers, RetentionDays: row.RetentionDays, AuditDays: row.AuditDays,
		},
		Price: plan.Price{Monthly: row.MonthlyPrice, Yearly: row.YearlyPrice, Currency: row.Currency},
	}
	if row.SoldCurrency != "" {
		p.OnSale = plan.Price{Monthly: row.SoldMonthlyPrice, Yearly: row.SoldYearlyPrice, Currency: row.SoldCurrency}
	}
	return p
}
