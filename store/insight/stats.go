// Package insight keeps what owners learn from answers: feedback, gaps, statistics, histories
// and test runs.
package insight

import (
	"context"
	"database/sql"
	"encoding/json"

	"parley/core/insight/stats"
	"parley/ent/generated/document"
	"parley/ent/scope"
	"parley/store"
)

// Stats reads the sums of days.
type Stats struct{ store *store.Store }

// NewStats returns the stats of a database.
func NewStats(db *store.Store) *Stats { return &Stats{db} }

var _ stats.Store = (*Stats)(nil)

const (
	selectDays = `SELECT day, conversations, questions, answered, no_answer, failed, stopped, thumbs_up, thumbs_down, prompt_tokens, completion_tokens,
	first_text, hours, users FROM daily_stats WHERE workspace_id = $1 AND chatbot_id = $2`
	days = selectDays + ` AND day >= $3 AND day <= $4 ORDER BY day`
	// topsOf takes the list of periods and mostFirst after it.
	topsOf    = `SELECT name, CAST(SUM(answers) AS bigint) FROM daily_counts WHERE workspace_id = $1 AND chatbot_id = $2 AND kind = $3 AND day IN `
	mostFirst = ` GROUP BY name ORDER BY SUM(answers) DESC, name LIMIT $4`
)

func intoDay(d *stats.Day) []any {
	return []any{
		&d.Date, &d.Conversations, &d.Questions, &d.Answered, &d.NoAnswer, &d.Failed, &d.Stopped, &d.ThumbsUp, &d.ThumbsDown, &d.PromptTokens, &d.CompletionTokens,
		inJSON(&d.FirstText), inJSON(&d.Hours), (*[]byte)(&d.Users),
	}
}

// inJSON is where a column with JSON goes.
func inJSON(into any) sql.Scanner {
	return store.Taking[[]byte](func(written sql.Null[[]byte]) error { return json.Unmarshal(written.V, into) })
}

// Days returns a chatbot's days that have sums, in order.
func (s *Stats) Days(ctx context.Context, workspaceID, chatbotID, from, to string) ([]stats.Day, error) {
	return store.Rows(scope.Workspace(ctx, workspaceID), s.store, intoDay, days, workspaceID, chatbotID, from, to)
}

// Tops returns the most frequent names of a kind over periods, of which there are some.
func (s *Stats) Tops(ctx context.Context, workspaceID, chatbotID, kind string, periods []string, limit int) ([]stats.Top, error) {
	args := append([]any{workspaceID, chatbotID, kind, limit}, store.Column(periods, func(period *string) any { return *period })...)
	tops, err := store.Rows(scope.Workspace(ctx, workspaceID), s.store, func(t *stats.Top) []any { return []any{&t.Name, &t.Answers} },
		topsOf+store.Placeholders(5, len(periods))+mostFirst, args...)
	if err != nil {
		return nil, err
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
