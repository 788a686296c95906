package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"parley/core/chat"
)

// UsageRecords sums usage records up.
type UsageRecords struct{ store *Store }

// NewUsageRecords returns the usage records of a database.
func NewUsageRecords(db *Store) *UsageRecords { return &UsageRecords{db} }

// spent sums usage records up. What took no time has no token, or is from before
// times were kept, and says nothing about how long others take.
const spent = `SELECT chatbot_id, model, status, COUNT(*), CAST(SUM(CASE WHEN estimated THEN 1 ELSE 0 END) AS bigint),
	CAST(SUM(prompt_tokens) AS bigint), CAST(SUM(completion_tokens) AS bigint), CAST(SUM(refuted) AS bigint),
	CAST(SUM(first_token_ms) AS bigint), COUNT(NULLIF(first_token_ms, 0)), CAST(SUM(total_ms) AS bigint), COUNT(NULLIF(total_ms, 0))
	FROM receipts WHERE workspace_id = $1 AND created_at >= $2 AND created_at < $3
	GROUP BY chatbot_id, model, status`

// Spent sums up a workspace's usage records of a time: a row for each chatbot,
// model and status, in that order.
func (s *UsageRecords) Spent(ctx context.Context, workspaceID string, from, to time.Time) ([]chat.Spent, error) {
	rows, err := s.store.raw(ctx).QueryContext(ctx, spent, workspaceID, from, to)
	if err != nil {
		return nil, mapError(err)
	}
	defer rows.Close()
	var sums []chat.Spent
	for rows.Next() {
		var sum chat.Spent
		var first, firsts, total, totals int64
		err := rows.Scan(&sum.ChatbotID, &sum.Model, &sum.Status, &sum.Answers, &sum.Estimated, &sum.PromptTokens,
			&sum.CompletionTokens, &sum.Refuted, &first, &firsts, &total, &totals)
		if err != nil {
			return nil, mapError(err)
		}
		sum.FirstToken, sum.Total = mean(first, firsts), mean(total, totals)
		sums = append(sums, sum)
	}
	// Not by the database: each has its own order of texts.
	slices.SortFunc(sums, func(a, b chat.Spent) int {
		return cmp.Or(cmp.Compare(a.ChatbotID, b.ChatbotID), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Status, b.Status))
	})
	return sums, mapError(rows.Err())
}

// mean is that of n times with a sum in milliseconds, or zero of none.
func mean(sum, n int64) time.Duration {
	if n == 0 {
		return 0
	}
	return milliseconds(sum) / time.Duration(n)
}
