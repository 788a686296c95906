package store

import (
	"context"
	"time"

	"entgo.io/ent/dialect"
)

// retentions has the workspaces whose plan forgets.
const retentions = `SELECT workspaces.id, plans.retention_days FROM workspaces
	JOIN plans ON plans.id = workspaces.plan WHERE plans.retention_days >= 0`

// Retentions returns how many days the plan of each workspace keeps a
// conversation, without those that it keeps for ever.
func (s *Store) Retentions(ctx context.Context) (days map[string]int, err error) {
	rows, err := s.raw(ctx).QueryContext(ctx, retentions)
	if err != nil {
		return nil, mapError(err)
	}
	defer rows.Close()
	days = map[string]int{}
	for rows.Next() {
		var workspaceID string
		var kept int
		if err := rows.Scan(&workspaceID, &kept); err != nil {
			return nil, mapError(err)
		}
		days[workspaceID] = kept
	}
	return days, mapError(rows.Err())
}

const (
	// old is what holds of a conversation that can go: it began before a time,
	// and so did its last message.
	old = ` FROM conversations WHERE workspace_id = ? AND created_at < ?
	AND NOT EXISTS (SELECT 1 FROM messages WHERE conversation_id = conversations.id AND status = 'generating')
	AND COALESCE((SELECT created_at FROM messages WHERE conversation_id = conversations.id ORDER BY id DESC LIMIT 1),
		conversations.created_at) < ?`
	findOld   = `SELECT id` + old + ` ORDER BY created_at, id LIMIT ?`
	deleteOld = `DELETE` + old + ` AND id IN `
)

// DeleteOldConversations deletes conversations with their messages, at most
// limit: those whose last message is older than a time.
func (s *Store) DeleteOldConversations(ctx context.Context, workspaceID string, before time.Time, limit int) (deleted int, err error) {
	err = s.InTx(ctx, func(ctx context.Context) error {
		ids, err := s.oldConversations(ctx, workspaceID, before, limit)
		if err != nil {
			return mapError(err)
		}
		// On PostgreSQL a message may have come before the rows were locked,
		// but not after: a look again, now, tells.
		return mapError(inBatches(ids, passageBatch, func(batch []any) error {
			args := append([]any{workspaceID, before, before}, batch...)
			result, err := s.raw(ctx).ExecContext(ctx, s.bind(deleteOld+placeholders(len(batch))), args...)
			if err != nil {
				return err
			}
			n, err := result.RowsAffected()
			deleted += int(n)
			return err
		}))
	})
	return deleted, err
}

// oldConversations returns the ids of old ones, and keeps messages from being
// added to them until the transaction ends.
func (s *Store) oldConversations(ctx context.Context, workspaceID string, before time.Time, limit int) (ids []any, err error) {
	query := findOld
	if s.dialect == dialect.Postgres {
		query += " FOR UPDATE SKIP LOCKED"
	}
	rows, err := s.raw(ctx).QueryContext(ctx, s.bind(query), workspaceID, before, before, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}
