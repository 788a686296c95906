// Package chat keeps conversations: their turns, from the question to the answer with its
// usage record, and what the month counts of them. A turn begins in begin_turn_sqlite.go or
// begin_turn_postgres.go, its text grows in turns.go, and it ends in finish.go or
// finish_postgres.go.
package chat

import (
	"context"
	"database/sql"
	"slices"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/quota"
	"parley/core/chat/turn"
	"parley/core/fault"
	"parley/core/system"
	ent "parley/ent/generated"
	"parley/ent/generated/message"
	"parley/ent/scope"
	"parley/store"
	"parley/store/citation"
)

// Turns keeps questions with their answers.
type Turns struct {
	store  *store.Store
	groups groups
}

// NewTurns returns the turns of a database. On PostgreSQL those that one value begins and
// finishes at the same time share statements, so a process needs one.
func NewTurns(db *store.Store) *Turns {
	s := &Turns{store: db}
	s.groups = newGroups(s)
	return s
}

// InTx runs fn in one transaction; calls inside it join.
func (s *Turns) InTx(ctx context.Context, fn func(context.Context) error) error {
	return s.store.InTx(ctx, fn)
}

var (
	_ chat.Conversations = (*Conversations)(nil)
	_ chat.Retentions    = (*Retentions)(nil)
	_ chat.Records       = (*UsageRecords)(nil)
	_ chat.KeyStore      = (*Keys)(nil)
	_ quota.Months       = (*Months)(nil)
	_ turn.Turns         = (*Turns)(nil)
	_ turn.Leases        = (*Leases)(nil)
	_ answer.Cache       = (*CachedAnswers)(nil)
)

// A turn is read with the usage record of its attempt, which exists once that
// has ended. Its question is the last message before it, which PostgreSQL would look for
// among all messages if it were joined.
const selectTurn = `SELECT a.id, a.conversation_id, a.attempt, a.content, a.status, a.outcome, a.finish_reason, a.query, a.sources, a.delivery, (SELECT q.id` + question + `), (SELECT q.content` + question + `),
	NOT EXISTS (SELECT 1 FROM messages l WHERE l.conversation_id = a.conversation_id AND l.id > a.id),
	COALESCE(r.chatbot_id, ''), COALESCE(r.model, ''), COALESCE(r.prompt_tokens, 0), COALESCE(r.completion_tokens, 0),
	COALESCE(r.estimated, FALSE), COALESCE(r.first_token_ms, 0), COALESCE(r.total_ms, 0), COALESCE(r.passages, 0),
	COALESCE(r.refuted, 0), COALESCE(r.rerank_tokens, 0), r.created_at
	FROM messages a
	LEFT JOIN usage_records r ON r.message_id = a.id AND r.attempt = a.attempt
	WHERE a.workspace_id = $1 AND a.conversation_id = $2 AND a.role = 'assistant' AND EXISTS (SELECT 1` + question + `)`

const (
	question  = ` FROM messages q WHERE q.conversation_id = a.conversation_id AND q.id < a.id AND q.role = 'user' ORDER BY q.id DESC LIMIT 1`
	lastTurn  = ` ORDER BY a.id DESC LIMIT 1`
	lastTurns = ` ORDER BY a.id DESC LIMIT $3`
)

// Turn returns a turn as it stands, or the last of its conversation.
func (s *Turns) Turn(ctx context.Context, workspaceID string, conversationID, answerID int64) (turn.Stored, error) {
	ctx = scope.Workspace(ctx, workspaceID)
	query, args := selectTurn+lastTurn, []any{workspaceID, conversationID}
	if answerID != 0 {
		query, args = selectTurn+" AND a.id = $3", append(args, answerID)
	}
	var row turnRow
	if err := store.ScanOne(ctx, s.store.Raw(ctx), row.into(), query, args...); err != nil {
		return turn.Stored{}, store.MapError(err)
	}
	t, err := row.stored()
	return t, store.MapError(err)
}

// TurnsOf returns the last turns of a conversation, oldest first.
func (s *Turns) TurnsOf(ctx context.Context, workspaceID string, conversationID int64, limit, bytes int) (turns []turn.Stored, err error) {
	ctx = scope.Workspace(ctx, workspaceID)
	rows, err := s.store.Raw(ctx).QueryContext(ctx, selectTurn+lastTurns, workspaceID, conversationID, limit)
	if err != nil {
		return nil, store.MapError(err)
	}
	defer rows.Close()
	for read := 0; rows.Next(); {
		var row turnRow
		if err := rows.Scan(row.into()...); err != nil {
			return nil, store.MapError(err)
		}
		if read += len(row.Question) + len(row.Answer.Text) + len(row.sources); read > bytes && len(turns) > 0 {
			break
		}
		t, err := row.stored()
		if err != nil {
			return nil, store.MapError(err)
		}
		turns = append(turns, t)
	}
	slices.Reverse(turns)
	return turns, store.MapError(rows.Err())
}

// turnRow is what selectTurn gives.
type turnRow struct {
	turn.Stored
	sources, delivery string
	first, total      int64
	at                sql.NullTime
}

func (t *turnRow) into() []any {
	a, r := &t.Answer, &t.Answer.Record
	return []any{
		&a.MessageID, &t.ConversationID, &a.Attempt, &a.Text, &a.Status, &a.Outcome, &a.Finish, &a.Query, &t.sources, &t.delivery, &t.QuestionID, &t.Question, &t.Last,
		&r.ChatbotID, &r.Model, &r.Usage.PromptTokens, &r.Usage.CompletionTokens, &r.Usage.Estimated, &t.first, &t.total, &r.Passages,
		&r.Refuted, &r.RerankTokens, &t.at,
	}
}

func (t *turnRow) stored() (turn.Stored, error) {
	a, r := &t.Answer, &t.Answer.Record
	r.FirstToken, r.Total = store.Milliseconds(t.first), store.Milliseconds(t.total)
	if t.at.Valid {
		r.At = t.at.Time.UTC()
	}
	t.Delivery = parseDelivery(t.delivery)
	var err error
	a.Citations, err = citation.FromColumn(t.sources)
	return t.Stored, err
}

// BeginAgain begins the next attempt at an answer that was interrupted or
// failed, and counts its question again if that was given back or is due. The partial
// index message_one_generating makes it a Conflict while another is generated.
func (s *Turns) BeginAgain(ctx context.Context, workspaceID string, turn turn.Retry) (attempt int, err error) {
	err = s.store.InTx(scope.Workspace(ctx, workspaceID), func(ctx context.Context) error {
		row, err := s.lockAgain(ctx, turn)
		if err != nil {
			return store.MapError(err)
		}
		attempt = row.Attempt + 1
		err = s.store.Client(ctx).Message.Update().Where(message.ID(row.ID)).SetStatus(string(chat.Generating)).SetAttempt(attempt).
			SetContent("").SetOutcome("").SetFinishReason("").SetQuery("").SetSources("").SetDocumentIds("").SetStopping(false).SetLeaseUntil(turn.LeaseUntil).Exec(ctx)
		if err != nil {
			return store.MapError(err)
		}
		// Only now: from here on no other turn can begin in the conversation,
		// and one that began before is seen.
		later, err := s.store.Client(ctx).Message.Query().Where(message.ConversationID(turn.ConversationID), message.IDGT(turn.AnswerID)).Exist(ctx)
		if err != nil {
			return store.MapError(err)
		}
		if later {
			return fault.New(fault.NotFound, "The conversation has gone on since.")
		}
		if turn.Counts || chat.Status(row.Status) == chat.Failed {
			return store.MapError(NewMonths(s.store).AddToMonth(ctx, workspaceID, turn.Month, turn.Reserved))
		}
		return nil
	})
	return attempt, err
}

// lockAgain returns an answer that can be begun again, and locks it until the
// transaction ends.
func (s *Turns) lockAgain(ctx context.Context, turn turn.Retry) (*ent.Message, error) {
	query := s.store.Client(ctx).Message.Query().Where(message.ID(turn.AnswerID), message.ConversationID(turn.ConversationID),
		message.Role(string(chat.Assistant)), message.StatusIn(string(chat.Interrupted), string(chat.Failed)))
	if !s.store.IsSQLite() {
		query = query.ForUpdate()
	}
	return query.Only(ctx)
}

const saveProgress = `UPDATE messages SET content = $1 WHERE id = $2 AND workspace_id = $3 AND attempt = $4 AND status = 'generating'`

// SaveProgress stores what there is of an answer that is being generated.
func (s *Turns) SaveProgress(ctx context.Context, workspaceID string, answerID int64, attempt int, text string) error {
	return s.mustChange(scope.Workspace(ctx, workspaceID), saveProgress, text, answerID, workspaceID, attempt)
}

// AskToStop marks an answer that is being generated as one to be stopped.
func (s *Turns) AskToStop(ctx context.Context, workspaceID string, answerID int64) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.Message.Update().Where(message.ID(answerID), message.Status(string(chat.Generating))).SetStopping(true).Save(ctx))
	})
}

// mustChange runs a statement that is NotFound unless it hits a row.
func (s *Turns) mustChange(ctx context.Context, statement string, args ...any) error {
	return s.store.WriteRaw(ctx, func(ctx context.Context) error { return s.store.Hits(ctx, statement, args...) })
}

// stopsAsked has the condition of the partial index message_stopping. Every end
// of an answer takes the mark away.
const stopsAsked = `SELECT id FROM messages WHERE stopping ORDER BY id`

// StopsAsked returns the answers of any workspace that someone has asked to
// stop.
func (s *Leases) StopsAsked(ctx context.Context, access system.Access) ([]int64, error) {
	rows, err := s.store.Raw(ctx).QueryContext(scope.System(ctx, access), stopsAsked)
	if err != nil {
		return nil, store.MapError(err)
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, store.MapError(err)
		}
		ids = append(ids, id)
	}
	return ids, store.MapError(rows.Err())
}
