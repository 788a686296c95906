package store

import (
	"context"

	"parley/core/plan"
	"parley/ent"
	entplan "parley/ent/plan"
)

// Plans returns all plans in order.
func (s *Store) Plans(ctx context.Context) ([]plan.Plan, error) {
	rows, err := s.db(ctx).Plan.Query().Order(entplan.ByRank()).All(ctx)
	return mapped(rows, err, toPlan)
}

// Plan returns one plan.
func (s *Store) Plan(ctx context.Context, name plan.Name) (plan.Plan, error) {
	row, err := s.db(ctx).Plan.Get(ctx, string(name))
	return one(row, err, toPlan)
}

func toPlan(row *ent.Plan) plan.Plan {
	return plan.Plan{
		Name: plan.Name(row.ID), Title: row.Title, Rank: row.Rank,
		Limits: plan.Limits{
			APIAccess: row.APIAccess, Chatbots: row.Chatbots, Members: row.Members,
			TokensPerChatbot: row.TokensPerChatbot, MessageChars: row.MessageChars, KnowledgeChars: row.KnowledgeChars,
		},
	}
}
