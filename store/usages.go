package store

import (
	"context"

	"entgo.io/ent/dialect"
)

// A workspace's questions of a month are counted in several rows: on PostgreSQL
// in one for each connection, so that those who ask at the same time do not
// wait for each other's commit. SQLite has one writer, and one row.
const (
	countSQLite = `INSERT INTO usages (workspace_id, month, shard, messages) VALUES (?, ?, 0, ?)
	ON CONFLICT (workspace_id, month, shard) DO UPDATE SET messages = usages.messages + excluded.messages`
	countPostgres = `INSERT INTO usages (workspace_id, month, shard, messages) VALUES ($1, $2, pg_backend_pid() % 256, $3)
	ON CONFLICT (workspace_id, month, shard) DO UPDATE SET messages = usages.messages + excluded.messages`
)

// addToMonth adds n to the questions of a month.
func (s *Store) addToMonth(ctx context.Context, workspaceID, month string, n int) error {
	statement := countSQLite
	if s.dialect == dialect.Postgres {
		statement = countPostgres
	}
	_, err := s.raw(ctx).ExecContext(ctx, statement, workspaceID, month, n)
	return err
}

// giveBack takes the question of an answer that fails from the count of the
// month that it is in. That is the month of the question, unless an earlier
// attempt failed and gave it back: then it was counted again when this one
// began, which counts as the month in which it ends. It runs before the receipt
// is there.
const (
	giveBackSQLite = `INSERT INTO usages (workspace_id, month, shard, messages)
	SELECT workspace_id, strftime('%Y-%m', CASE WHEN EXISTS (` + failedBefore + `?1 AND attempt < ?2) THEN ?3 ELSE created_at END), 0, -1
	FROM messages WHERE id = ?1
	ON CONFLICT (workspace_id, month, shard) DO UPDATE SET messages = usages.messages + excluded.messages`
	giveBackPostgres = `INSERT INTO usages (workspace_id, month, shard, messages)
	SELECT workspace_id, to_char((CASE WHEN EXISTS (` + failedBefore + `?1 AND attempt < ?3) THEN ?18::timestamptz ELSE created_at END)
		AT TIME ZONE 'UTC', 'YYYY-MM'), pg_backend_pid() % 256, -1 FROM ended
	ON CONFLICT (workspace_id, month, shard) DO UPDATE SET messages = usages.messages + excluded.messages`
	failedBefore = `SELECT 1 FROM receipts WHERE status = 'failed' AND message_id = `
)

const messagesOf = `SELECT CAST(COALESCE(SUM(messages), 0) AS bigint) FROM usages WHERE workspace_id = ? AND month = ?`

// MessagesOf is how many questions of a workspace count in a month such as
// "2026-11".
func (s *Store) MessagesOf(ctx context.Context, workspaceID, month string) (int, error) {
	var n int
	err := scanOne(ctx, s.raw(ctx), []any{&n}, s.bind(messagesOf), workspaceID, month)
	// A question of before they were counted may be given back.
	return max(n, 0), mapError(err)
}
