package chat

import (
	"context"
	"database/sql"
	"iter"
	"slices"
	"time"

	"parley/core/chat"
	"parley/core/fault"
	"parley/core/system"
	ent "parley/ent/generated"
	"parley/ent/generated/chatbot"
	"parley/ent/scope"
	"parley/store"
)

// Retentions says how long conversations are kept, and deletes them.
type Retentions struct{ store *store.Store }

// NewRetentions returns the retentions of a database.
func NewRetentions(db *store.Store) *Retentions { return &Retentions{db} }

// retentions has the workspaces whose plan forgets.
const retentions = `SELECT w.id, p.retention_days, w.kept_before, w.kept_days,
	(SELECT c.created_at FROM conversations c WHERE c.workspace_id = w.id ORDER BY c.created_at LIMIT 1)
	FROM workspaces w JOIN plans p ON p.id = w.plan WHERE p.retention_days >= 0 AND w.id > $1 ORDER BY w.id LIMIT $2`

// Retentions reads how long each workspace keeps conversations, without
// those that keep them forever.
func (s *Retentions) Retentions(ctx context.Context, access system.Access) iter.Seq2[chat.Forgetful, error] {
	return store.InKeyOrder(scope.System(ctx, access), func(ctx context.Context, after string) (all []chat.Forgetful, err error) {
		err = store.EachRow(ctx, s.store.Raw(ctx), retentions, []any{after, store.PortionRows}, func(row *sql.Rows) error {
			var w chat.Forgetful
			var before, oldest sql.NullTime
			err := row.Scan(&w.WorkspaceID, &w.Days, &before, &w.KeptDays, &oldest)
			w.KeptBefore, w.Oldest = before.Time, oldest.Time
			all = append(all, w)
			return err
		})
		return all, err
	}, func(w chat.Forgetful) string { return w.WorkspaceID })
}

const (
	// quiet holds of a conversation whose last message came within two times,
	// or which has none and began then, and in which nothing is being generated.
	quiet = `NOT EXISTS (SELECT 1 FROM messages WHERE conversation_id = conversations.id AND status = 'generating')
	AND COALESCE((SELECT created_at FROM messages WHERE conversation_id = conversations.id ORDER BY id DESC LIMIT 1),
		conversations.created_at) BETWEEN $2 AND $3`
	findQuiet   = `SELECT id FROM conversations WHERE workspace_id = $1 AND created_at <= $3 AND ` + quiet + ` ORDER BY created_at, id LIMIT $4`
	findQuietOf = `SELECT id FROM conversations WHERE workspace_id || '' = $1 AND chatbot_id = $5 AND ` + quiet + ` ORDER BY id LIMIT $4`
	// The workspace is no plain column: SQLite would go through the index of
	// all its conversations and not look up the few.
	deleteQuiet = `DELETE FROM conversations WHERE workspace_id || '' = $1 AND ` + quiet + ` AND id IN `
	// Feedback on answers is deleted with them.
	gone           = ` AND NOT EXISTS (SELECT 1 FROM conversations c WHERE c.id = conversation_id) AND conversation_id IN `
	forgetFeedback = `DELETE FROM feedbacks WHERE workspace_id = $1` + gone
	forgetGaps     = `DELETE FROM gaps WHERE workspace_id = $1` + gone
)

// ChatbotRetentions reads the chatbots that have a time of their own.
func (s *Retentions) ChatbotRetentions(ctx context.Context, access system.Access) iter.Seq2[chat.ForgetfulChatbot, error] {
	return store.InKeyOrder(scope.System(ctx, access), func(ctx context.Context, after chat.ForgetfulChatbot) ([]chat.ForgetfulChatbot, error) {
		rows, err := s.store.Client(ctx).Chatbot.Query().Where(chatbot.RetentionDaysGTE(1), chatbot.IDGT(after.ChatbotID)).
			Order(chatbot.ByID()).Limit(store.PortionRows).All(ctx)
		return store.Mapped(rows, err, func(row *ent.Chatbot) chat.ForgetfulChatbot {
			return chat.ForgetfulChatbot{WorkspaceID: row.WorkspaceID, ChatbotID: row.ID, Days: row.RetentionDays}
		})
	}, func(bot chat.ForgetfulChatbot) chat.ForgetfulChatbot { return bot })
}

// DeleteOldConversations deletes conversations with their messages, at most
// limit: those whose last message came before a time and not before another.
func (s *Retentions) DeleteOldConversations(ctx context.Context, workspaceID string, since, before time.Time, limit int) (deleted int, err error) {
	ctx = scope.Workspace(ctx, workspaceID)
	last := before.Add(-time.Microsecond) // the precision of both databases
	return s.deleteOld(ctx, findQuiet, []any{workspaceID, since, last}, limit)
}

// DeleteOldOfChatbot is DeleteOldConversations of one chatbot.
func (s *Retentions) DeleteOldOfChatbot(ctx context.Context, workspaceID, chatbotID string, before time.Time, limit int) (deleted int, err error) {
	ctx = scope.Workspace(ctx, workspaceID)
	last := before.Add(-time.Microsecond)
	return s.deleteOld(ctx, findQuietOf, []any{workspaceID, time.Time{}, last}, limit, chatbotID)
}

// deleteOld deletes conversations that a statement finds, with a workspace and two times
// for parameters, a limit, and then more.
func (s *Retentions) deleteOld(ctx context.Context, find string, of []any, limit int, more ...any) (deleted int, err error) {
	with := func(limit int) []any { return append(append(slices.Clone(of), limit), more...) }
	// Most workspaces have nothing to delete, and a transaction is not needed to see it.
	var oldest int64
	err = store.ScanOne(ctx, s.store.Raw(ctx), []any{&oldest}, find, with(1)...)
	if fault.Is(err, fault.NotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, store.MapError(err)
	}
	workspaceID := of[0].(string)
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		ids, err := s.quietConversations(ctx, find, with(limit))
		if err != nil {
			return store.MapError(err)
		}
		// On PostgreSQL a message may have come before the rows were locked,
		// but not after: a look again, now, tells.
		return store.MapError(store.InBatches(ids, store.BatchRows, func(batch []any) error {
			result, err := s.store.Raw(ctx).ExecContext(ctx, deleteQuiet+store.Placeholders(4, len(batch)), append(slices.Clone(of), batch...)...)
			if err != nil {
				return err
			}
			n, err := result.RowsAffected()
			deleted += int(n)
			if err != nil {
				return err
			}
			return s.forget(ctx, workspaceID, batch)
		}))
	})
	return deleted, err
}

// forget deletes the feedback and the gaps of those conversations that are gone.
func (s *Retentions) forget(ctx context.Context, workspaceID string, ids []any) error {
	ctx = scope.Workspace(ctx, workspaceID)
	args := append([]any{workspaceID}, ids...)
	for _, statement := range []string{forgetFeedback, forgetGaps} {
		if _, err := s.store.Raw(ctx).ExecContext(ctx, statement+store.Placeholders(2, len(ids)), args...); err != nil {
			return err
		}
	}
	return nil
}

// quietConversations returns the ids of the oldest, and keeps messages from
// being added to them until the transaction ends.
func (s *Retentions) quietConversations(ctx context.Context, query string, args []any) (ids []any, err error) {
	if !s.store.IsSQLite() {
		query += " FOR UPDATE SKIP LOCKED"
	}
	rows, err := s.store.Raw(ctx).QueryContext(ctx, query, args...)
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
