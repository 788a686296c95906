// Package insight keeps what owners learn from answers: feedback, gaps, statistics, histories
// and test runs.
package insight

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"parley/core/insight/stats"
	ent "parley/ent/generated"
	"parley/ent/generated/dailycount"
	"parley/ent/generated/dailystat"
	"parley/ent/generated/document"
	"parley/ent/scope"
	"parley/store"
)

// Stats reads the sums of days.
type Stats struct{ store *store.Store }

// NewStats returns the stats of a database.
func NewStats(db *store.Store) *Stats { return &Stats{db} }

var _ stats.Store = (*Stats)(nil)

// Days returns a chatbot's days that have sums, in order.
func (s *Stats) Days(ctx context.Context, workspaceID, chatbotID, from, to string) ([]stats.Day, error) {
	rows, err := s.store.Client(ctx).DailyStat.Query().
		Where(dailystat.ChatbotID(chatbotID), dailystat.DayGTE(from), dailystat.DayLTE(to)).
		Order(dailystat.ByDay()).All(scope.Workspace(ctx, workspaceID))
	return store.Mapped(rows, err, dayFromRow)
}

// Tops returns the most frequent names of a kind over periods.
func (s *Stats) Tops(ctx context.Context, workspaceID, chatbotID, kind string, periods []string, limit int) ([]stats.Top, error) {
	var sums []struct {
		Name string
		Sum  int
	}
	err := s.store.Client(ctx).DailyCount.Query().
		Where(dailycount.ChatbotID(chatbotID), dailycount.Kind(kind), dailycount.DayIn(periods...)).
		Order(func(q *sql.Selector) { q.OrderExpr(sql.Expr("SUM(answers) DESC"), sql.Expr("name")) }).Limit(limit).
		GroupBy(dailycount.FieldName).Aggregate(ent.As(ent.Sum(dailycount.FieldAnswers), "sum")).
		Scan(scope.Workspace(ctx, workspaceID), &sums)
	if err != nil {
		return nil, store.MapError(err)
	}
	tops := make([]stats.Top, len(sums))
	for i, s := range sums {
		tops[i] = stats.Top{Name: s.Name, Answers: s.Sum}
	}
	if kind == stats.Documents {
		return tops, s.entitle(ctx, workspaceID, tops)
	}
	return tops, nil
}

// entitle gives documents that are still there their titles.
func (s *Stats) entitle(ctx context.Context, workspaceID string, tops []stats.Top) error {
	ids := make([]string, len(tops))
	for i, top := range tops {
		ids[i] = top.Name
	}
	rows, err := s.store.Client(ctx).Document.Query().Where(document.IDIn(ids...)).
		Select(document.FieldID, document.FieldTitle).All(scope.Workspace(ctx, workspaceID))
	if err != nil {
		return store.MapError(err)
	}
	for _, row := range rows {
		for i := range tops {
			if tops[i].Name == row.ID {
				tops[i].Title = row.Title
			}
		}
	}
	return nil
}
