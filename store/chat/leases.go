package chat

import (
	"context"
	"slices"
	"strings"
	"time"

	"parley/core/chat"
	"parley/core/system"
	ent "parley/ent/generated"
	"parley/ent/generated/message"
	"parley/ent/scope"
	"parley/store"
)

// Leases knows the answers that are being generated, of any workspace.
type Leases struct{ store *store.Store }

// NewLeases returns the leases of a database.
func NewLeases(db *store.Store) *Leases { return &Leases{db} }

// RenewLeases extends the leases of answers of any workspace.
func (s *Leases) RenewLeases(ctx context.Context, access system.Access, answerIDs []int64, until time.Time) error {
	return s.store.Write(scope.System(ctx, access), func(ctx context.Context, db *ent.Client) error {
		for ids := range slices.Chunk(answerIDs, store.BatchRows) {
			err := db.Message.Update().Where(message.IDIn(ids...), message.Status(string(chat.Generating))).
				SetLeaseUntil(until).Exec(ctx)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// lapsedColumns is how many columns lapsedUsageRecords fills.
const lapsedColumns = 13

// lapsedAtOnce bounds how many answers, with their texts, are in memory.
const lapsedAtOnce = 500

const (
	// In no order: SQLite would then read all messages, and not the partial
	// index message_one_generating.
	selectLapsed = `SELECT m.id, m.workspace_id, m.attempt, m.content, m.created_at, c.chatbot_id, m.conversation_id, c.origin,
	NOT EXISTS (SELECT 1 FROM messages e WHERE e.conversation_id = m.conversation_id AND e.id < m.id AND e.role = 'assistant')
	FROM messages m JOIN conversations c ON c.id = m.conversation_id
	WHERE m.status = 'generating' AND m.lease_until < $1 LIMIT $2`
	interrupt          = `UPDATE messages SET status = 'interrupted', outcome = 'interrupted', lease_until = NULL, stopping = FALSE WHERE id IN `
	lapsedUsageRecords = `INSERT INTO usage_records (message_id, workspace_id, chatbot_id, attempt, status, completion_tokens, estimated, total_ms, created_at,
	conversation_id, origin, opens, outcome) VALUES `
)

// InterruptLapsed marks answers of any workspace whose lease has ended, each
// with a usage record of what there is of it.
func (s *Leases) InterruptLapsed(ctx context.Context, access system.Access, before, now time.Time, count func(text string) int) (int, error) {
	total := 0
	err := s.store.InTx(scope.System(ctx, access), func(ctx context.Context) error {
		for {
			lapsed, err := s.lapsed(ctx, before)
			if err == nil && len(lapsed) > 0 {
				err = s.interrupt(ctx, lapsed, now, count)
			}
			total += len(lapsed)
			if err != nil || len(lapsed) < lapsedAtOnce {
				return store.MapError(err)
			}
		}
	})
	return total, err
}

// lapsedAnswer is one whose lease has ended.
type lapsedAnswer struct {
	id                     int64
	workspaceID, chatbotID string
	attempt                int
	text                   string
	created                time.Time
	conversationID         int64
	origin                 string
	opens                  bool
}

// lapsed returns some of them. One that another process is just ending is left
// to it.
func (s *Leases) lapsed(ctx context.Context, before time.Time) (found []lapsedAnswer, err error) {
	query := selectLapsed
	if !s.store.IsSQLite() {
		query += " FOR UPDATE OF m SKIP LOCKED"
	}
	rows, err := s.store.Raw(ctx).QueryContext(ctx, query, before, lapsedAtOnce)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var a lapsedAnswer
		if err := rows.Scan(&a.id, &a.workspaceID, &a.attempt, &a.text, &a.created, &a.chatbotID,
			&a.conversationID, &a.origin, &a.opens); err != nil {
			return nil, err
		}
		found = append(found, a)
	}
	return found, rows.Err()
}

// interrupt ends answers, with their usage records.
func (s *Leases) interrupt(ctx context.Context, lapsed []lapsedAnswer, now time.Time, count func(text string) int) error {
	ids, records := make([]any, 0, len(lapsed)), make([]any, 0, lapsedColumns*len(lapsed))
	for _, a := range lapsed {
		ids = append(ids, a.id)
		records = append(records, a.id, a.workspaceID, a.chatbotID, a.attempt, string(chat.Interrupted),
			count(a.text), true, max(now.Sub(a.created), 0).Milliseconds(), now,
			a.conversationID, a.origin, a.opens, string(chat.OutcomeInterrupted))
	}
	if _, err := s.store.Changes(ctx, interrupt+store.Placeholders(1, len(lapsed)), ids...); err != nil {
		return err
	}
	rows := make([]string, len(lapsed))
	for i := range rows {
		rows[i] = store.Placeholders(lapsedColumns*i+1, lapsedColumns)
	}
	_, err := s.store.Changes(ctx, lapsedUsageRecords+strings.Join(rows, ","), records...)
	return err
}
