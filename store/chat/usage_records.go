package chat

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"parley/core/answer"
	"parley/core/chat"
	"parley/ent/scope"
	"parley/store"
)

// UsageRecords sums usage records up.
type UsageRecords struct{ store *store.Store }

// NewUsageRecords returns the usage records of a database.
func NewUsageRecords(db *store.Store) *UsageRecords { return &UsageRecords{db} }

// UsageSums sums usage records up. What took no time has no token, or is from before
// times were kept, and says nothing about how long others take.
const UsageSums = `chatbot_id, model, status, COUNT(*), CAST(SUM(CASE WHEN estimated THEN 1 ELSE 0 END) AS bigint),
	CAST(SUM(prompt_tokens) AS bigint), CAST(SUM(completion_tokens) AS bigint), CAST(SUM(refuted) AS bigint),
	CAST(SUM(first_token_ms) AS bigint), COUNT(NULLIF(first_token_ms, 0)), CAST(SUM(total_ms) AS bigint), COUNT(NULLIF(total_ms, 0))`

// spent selects the sums of a month, and sums up the month's records that are not in them
// yet. The second part has the condition of the partial index receipt_to_count, which has
// few records of any workspace. It compares neither the workspace nor the time as a plain
// column: otherwise SQLite would go through the index of all records of that time.
const spent = `SELECT chatbot_id, model, status, answers, estimated, prompt_tokens, completion_tokens, refuted, first_token_ms, first_tokens, total_ms, totals
	FROM usage_sums WHERE workspace_id = $1 AND month = $2
	UNION ALL SELECT ` + UsageSums + ` FROM usage_records
	WHERE NOT counted AND workspace_id || '' = $1 AND COALESCE(created_at, created_at) >= $3 AND COALESCE(created_at, created_at) < $4 GROUP BY chatbot_id, model, status`

// Spent sums up a workspace's usage records of a month: a row for each chatbot, model
// and status, in that order.
func (s *UsageRecords) Spent(ctx context.Context, workspaceID string, month time.Time) ([]chat.Spent, error) {
	ctx = scope.Workspace(ctx, workspaceID)
	from := time.Date(month.UTC().Year(), month.UTC().Month(), 1, 0, 0, 0, 0, time.UTC)
	rows, err := s.store.Raw(ctx).QueryContext(ctx, spent, workspaceID, from.Format("2006-01"), from, from.AddDate(0, 1, 0))
	if err != nil {
		return nil, store.MapError(err)
	}
	defer rows.Close()
	sums := map[spentOn]spentTimes{}
	for rows.Next() {
		var on spentOn
		var more spentTimes
		err := rows.Scan(&on.chatbotID, &on.model, &on.status, &more.Answers, &more.Estimated, &more.PromptTokens,
			&more.CompletionTokens, &more.Refuted, &more.first, &more.firsts, &more.total, &more.totals)
		if err != nil {
			return nil, store.MapError(err)
		}
		sums[on] = sums[on].plus(more)
	}
	return spentOf(sums), store.MapError(rows.Err())
}

// spentOn is what a sum is of.
type spentOn struct {
	chatbotID, model string
	status           chat.Status
}

// spentTimes is a sum with the times whose means are wanted, in milliseconds, and of
// how many answers they are.
type spentTimes struct {
	chat.Spent
	first, firsts, total, totals int64
}

func (t spentTimes) plus(more spentTimes) spentTimes {
	t.Answers += more.Answers
	t.Estimated += more.Estimated
	t.PromptTokens += more.PromptTokens
	t.CompletionTokens += more.CompletionTokens
	t.Refuted += more.Refuted
	t.first, t.firsts = t.first+more.first, t.firsts+more.firsts
	t.total, t.totals = t.total+more.total, t.totals+more.totals
	return t
}

func spentOf(sums map[spentOn]spentTimes) []chat.Spent {
	var all []chat.Spent
	for on, sum := range sums {
		one := sum.Spent
		one.ChatbotID, one.Model, one.Status = on.chatbotID, on.model, on.status
		one.FirstToken, one.Total = mean(sum.first, sum.firsts), mean(sum.total, sum.totals)
		all = append(all, one)
	}
	// Not by the database: each has its own order of texts.
	slices.SortFunc(all, func(a, b chat.Spent) int {
		return cmp.Or(cmp.Compare(a.ChatbotID, b.ChatbotID), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Status, b.Status))
	})
	return all
}

// mean returns the mean of n times whose sum is given in milliseconds, or zero if n is zero.
func mean(sum, n int64) time.Duration {
	if n == 0 {
		return 0
	}
	return store.Milliseconds(sum) / time.Duration(n)
}

// usageRecordsOf are the records of answers, the last attempt last.
const usageRecordsOf = `SELECT message_id, attempt, chatbot_id, model, prompt_tokens, completion_tokens, estimated, first_token_ms, total_ms, passages, refuted,
	rerank_tokens, created_at FROM usage_records WHERE workspace_id = $1 AND message_id IN `

// Recorded is the usage record of an attempt at an answer.
type Recorded struct {
	answer.UsageRecord
	MessageID int64
	Attempt   int
}

// Recorded returns the records of answers.
func (s *UsageRecords) Recorded(ctx context.Context, workspaceID string, messageIDs []int64) ([]Recorded, error) {
	args := append([]any{workspaceID}, store.Column(messageIDs, func(id *int64) any { return *id })...)
	return store.Rows(scope.Workspace(ctx, workspaceID), s.store, func(r *Recorded) []any {
		return []any{
			&r.MessageID, &r.Attempt, &r.ChatbotID, &r.Model, &r.Usage.PromptTokens, &r.Usage.CompletionTokens, &r.Usage.Estimated,
			InMilliseconds(&r.FirstToken), InMilliseconds(&r.Total), &r.Passages, &r.Refuted, &r.RerankTokens, store.InUTC(&r.At),
		}
	}, usageRecordsOf+store.Placeholders(2, len(messageIDs))+" ORDER BY attempt", args...)
}

// InMilliseconds is where a column with a duration goes.
func InMilliseconds(into *time.Duration) sql.Scanner {
	return store.Taking[int64](func(n sql.Null[int64]) error {
		*into = store.Milliseconds(n.V)
		return nil
	})
}
