package store

import (
	"context"

	"entgo.io/ent/dialect"

	"parley/ent/message"
)

// monthLayout is how the month of a question is written, in UTC.
const monthLayout = "2006-01"

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

// giveBack takes the question of an answer from the count of its month.
func (s *Store) giveBack(ctx context.Context, workspaceID string, answerID int64) error {
	answer, err := s.db(ctx).Message.Query().Where(message.ID(answerID)).Only(within(ctx, workspaceID))
	if err != nil {
		return err
	}
	return s.addToMonth(ctx, workspaceID, answer.CreatedAt.UTC().Format(monthLayout), -1)
}

const messagesOf = `SELECT CAST(COALESCE(SUM(messages), 0) AS bigint) FROM usages WHERE workspace_id = ? AND month = ?`

// MessagesOf is how many questions of a workspace count in a month such as
// "2026-11".
func (s *Store) MessagesOf(ctx context.Context, workspaceID, month string) (int, error) {
	var n int
	err := scanOne(ctx, s.raw(ctx), []any{&n}, s.bind(messagesOf), workspaceID, month)
	// A question of before they were counted may be given back.
	return max(n, 0), mapError(err)
}
