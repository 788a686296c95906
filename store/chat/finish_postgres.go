package chat

import (
	"context"
	"database/sql"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/internal/intx"
	"parley/store"
)

// PostgreSQL does all of it in one statement, and in one round trip. Without an
// answer that is ended, none of it does anything.
var (
	finishPostgres = `WITH ended AS (` + endAnswer + ` RETURNING id, workspace_id, created_at) ` + finishUsageRecord
	failPostgres   = `WITH ended AS (` + endAnswer + ` RETURNING id, workspace_id, created_at),
	given_back AS (` + giveBackPostgres + `) ` + finishUsageRecord
)

const finishUsageRecord = insertUsageRecord + `SELECT id, workspace_id, ` + usageRecordValues + ` FROM ended` + replaceUsageRecord

// finishAnswers ends many attempts at once, each with its usage record. An attempt that
// cannot be ended is left out.
const finishAnswers = `WITH given AS MATERIALIZED (
	SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
		$11::text[], $12::text[], $13::bigint[], $14::bigint[], $15::boolean[], $16::bigint[], $17::bigint[], $18::bigint[], $19::bigint[], $20::timestamptz[],
		$21::bigint[], $22::boolean[], $23::text[], $24::bigint[]) WITH ORDINALITY
	AS g (message_id, workspace_id, attempt, content, status, query, sources, document_ids, outcome, finish_reason,
		chatbot_id, model, prompt_tokens, completion_tokens, estimated, first_token_ms, total_ms, passages, refuted, at,
		conversation_id, opens, origin, rerank_tokens, place)
), ended AS (
	UPDATE messages m SET content = g.content, status = g.status, query = g.query, sources = g.sources, document_ids = g.document_ids,
		outcome = g.outcome, finish_reason = g.finish_reason, lease_until = NULL, stopping = FALSE
	FROM given g WHERE m.id = g.message_id AND m.workspace_id = g.workspace_id AND m.attempt = g.attempt AND m.status IN ('generating', 'interrupted')
	RETURNING g.place
), recorded AS (
	` + insertUsageRecord + `SELECT message_id, workspace_id, attempt, status, chatbot_id, model, prompt_tokens,
	completion_tokens, estimated, first_token_ms, total_ms, passages, refuted, at,
	conversation_id, opens, origin, outcome, finish_reason, rerank_tokens FROM given JOIN ended USING (place)` + replaceUsageRecord + `
) SELECT place FROM ended`

// endOf is how a turn ended, on its way into a statement.
type endOf struct {
	workspaceID string
	turn.Answer
}

// finishOnPostgres ends a turn together with others, or in the transaction of ctx. One that failed
// also changes the count of its month.
func (s *Turns) finishOnPostgres(ctx context.Context, end endOf) error {
	if intx.Inside(ctx) || end.Status == chat.Failed {
		_, err := s.finishAlone(ctx, end)
		return err
	}
	_, err := s.groups.answers.Do(ctx, end)
	return err
}

func (s *Turns) finishAlone(ctx context.Context, end endOf) (struct{}, error) {
	statement := finishPostgres
	if end.Status == chat.Failed {
		statement = failPostgres
	}
	return struct{}{}, s.store.Hits(ctx, statement, finishArgs(end.workspaceID, end.Answer)...)
}

func finishTogether(ctx context.Context, on entsql.ExecQuerier, rows []endOf, tell func(int, struct{})) error {
	each := store.Column(rows, func(r *endOf) []any { return finishArgs(r.workspaceID, r.Answer) })
	args := make([]any, len(each[0]))
	for i := range args {
		args[i] = transposed(each, i)
	}
	return store.EachRow(ctx, on, finishAnswers, args, func(row *sql.Rows) error {
		var place int
		err := row.Scan(&place)
		if err == nil {
			tell(place-1, struct{}{})
		}
		return err
	})
}

// transposed is one parameter of several rows as an array of its type.
func transposed(rows [][]any, at int) any {
	switch rows[0][at].(type) {
	case string:
		return typed[string](rows, at)
	case bool:
		return typed[bool](rows, at)
	case int64:
		return typed[int64](rows, at)
	case time.Time:
		return typed[time.Time](rows, at)
	}
	return typed[int](rows, at)
}

func typed[T any](rows [][]any, at int) []T {
	return store.Column(rows, func(row *[]any) T { return (*row)[at].(T) })
}
