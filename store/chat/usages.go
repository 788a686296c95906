package chat

import (
	"context"

	"parley/ent/scope"
	"parley/store"
)

// A workspace's questions of a month are counted in several rows: on PostgreSQL
// in one for each connection, so that concurrent questions do not wait for each
// other's commit. Questions that a process had reserved are counted in rows of
// its own: see holds.go. SQLite has one writer, and one row.
const (
	countSQLite = `INSERT INTO usages (workspace_id, month, shard, messages) VALUES ($1, $2, 0, $3)
	ON CONFLICT (workspace_id, month, shard) DO UPDATE SET messages = usages.messages + excluded.messages`
	countPostgres = `INSERT INTO usages (workspace_id, month, shard, messages) VALUES ($1, $2, $4::bigint + pg_backend_pid() % 256, $3)
	ON CONFLICT (workspace_id, month, shard) DO UPDATE SET messages = usages.messages + excluded.messages`
)

// AddToMonth adds one to the questions of a month.
func (s *Months) AddToMonth(ctx context.Context, workspaceID, month string, reserved bool) error {
	return s.add(ctx, workspaceID, month, 1, reserved)
}

// CountQuestion counts a question of which nothing else is kept.
func (s *Months) CountQuestion(ctx context.Context, workspaceID, month string, reserved bool) error {
	return s.store.InTx(ctx, func(ctx context.Context) error {
		return store.MapError(s.add(ctx, workspaceID, month, 1, reserved))
	})
}

// UncountQuestion takes it back.
func (s *Months) UncountQuestion(ctx context.Context, workspaceID, month string) error {
	return s.store.InTx(ctx, func(ctx context.Context) error {
		return store.MapError(s.add(ctx, workspaceID, month, -1, false))
	})
}

func (s *Months) add(ctx context.Context, workspaceID, month string, messages int, reserved bool) error {
	ctx = scope.Workspace(ctx, workspaceID)
	statement, args := countSQLite, []any{workspaceID, month, messages}
	if !s.store.IsSQLite() {
		statement, args = countPostgres, append(args, firstShard(s.store, reserved))
	}
	_, err := s.store.Raw(ctx).ExecContext(ctx, statement, args...)
	return err
}

// giveBack removes the question of a failed answer from the count of its month.
// That is the month of the question, unless an earlier attempt failed and gave
// it back: then it was counted again when this attempt began, for which the
// month of its end stands. It runs before the usage record exists.
const (
	giveBackSQLite = `INSERT INTO usages (workspace_id, month, shard, messages)
	SELECT workspace_id, strftime('%Y-%m', CASE WHEN EXISTS (` + failedBefore + `$1 AND attempt < $2) THEN $3 ELSE created_at END)
		|| CASE $4 WHEN 'playground' THEN '-playground' ELSE '' END, 0, -1
	FROM messages WHERE id = $1
	ON CONFLICT (workspace_id, month, shard) DO UPDATE SET messages = usages.messages + excluded.messages`
	giveBackPostgres = `INSERT INTO usages (workspace_id, month, shard, messages)
	SELECT workspace_id, to_char((CASE WHEN EXISTS (` + failedBefore + `$1 AND attempt < $3) THEN $20::timestamptz ELSE created_at END)
		AT TIME ZONE 'UTC', 'YYYY-MM') || CASE $23::text WHEN 'playground' THEN '-playground' ELSE '' END, pg_backend_pid() % 256, -1 FROM ended
	ON CONFLICT (workspace_id, month, shard) DO UPDATE SET messages = usages.messages + excluded.messages`
	failedBefore = `SELECT 1 FROM usage_records WHERE status = 'failed' AND message_id = `
)

const messagesOf = `SELECT CAST(COALESCE(SUM(messages), 0) AS bigint) FROM usages WHERE workspace_id = $1 AND month = $2`

// MessagesOf is how many questions of a workspace count in a month such as
// "2026-11".
func (s *Months) MessagesOf(ctx context.Context, workspaceID, month string) (int, error) {
	ctx = scope.Workspace(ctx, workspaceID)
	var n int
	err := store.ScanOne(ctx, s.store.Raw(ctx), []any{&n}, messagesOf, workspaceID, month)
	// A question from before questions were counted may be given back.
	return max(n, 0), store.MapError(err)
}
