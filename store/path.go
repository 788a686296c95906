package store

import (
	"context"
	"strings"

	"entgo.io/ent/dialect"

	"parley/core/chat"
	"parley/core/fault"
)

// The statements in this file, in usages.go and in live_passages.go run for
// every chat request, and are SQL by hand: ent's builders and privacy filters
// would run for each of them again, and PostgreSQL begins a turn in one round
// trip. Each names the workspace itself.

const insertConversation = `INSERT INTO conversations (workspace_id, chatbot_id, external_user_id, status, created_at)
	VALUES (?, ?, ?, ?, ?) RETURNING id`

// insertTurn adds a question and an answer to a conversation of the workspace,
// the answer last. The databases name the types of parameters differently. On
// PostgreSQL the question is counted in the same statement: see usages.go. That
// runs last, and so keeps others waiting for the commit alone.
const (
	insertTurnSQLite = `INSERT INTO messages (workspace_id, conversation_id, role, content, status, lease_until, created_at)
	SELECT workspace_id, id, 'user', ?3, 'complete', NULL, ?4 FROM conversations WHERE id = ?2 AND workspace_id = ?1
	UNION ALL
	SELECT workspace_id, id, 'assistant', '', 'generating', ?5, ?4 FROM conversations WHERE id = ?2 AND workspace_id = ?1
	RETURNING id`
	insertTurnPostgres = `WITH conversation AS (
	SELECT workspace_id, id FROM conversations WHERE id = $2 AND workspace_id = $1
), counted AS (
	INSERT INTO usages (workspace_id, month, shard, messages)
	SELECT workspace_id, $6, pg_backend_pid() % 256, 1 FROM conversation
	ON CONFLICT (workspace_id, month, shard) DO UPDATE SET messages = usages.messages + 1
) INSERT INTO messages (workspace_id, conversation_id, role, content, status, lease_until, created_at)
	SELECT c.workspace_id, c.id, turn.role, turn.content, turn.status, turn.lease_until, $4::timestamptz
	FROM conversation c, (VALUES (1, 'user', $3, 'complete', NULL::timestamptz),
		(2, 'assistant', '', 'generating', $5::timestamptz)) AS turn (place, role, content, status, lease_until)
	ORDER BY turn.place RETURNING id`
)

// beginConversation does all of it in one statement. The answer selects from the
// question, and so comes after it.
const beginConversation = `WITH conversation AS (
	INSERT INTO conversations (workspace_id, chatbot_id, external_user_id, status, created_at)
	VALUES ($1, $2, $3, $4, $5) RETURNING id
), question AS (
	INSERT INTO messages (workspace_id, conversation_id, role, content, status, created_at)
	SELECT $1, id, 'user', $6, 'complete', $8::timestamptz FROM conversation RETURNING conversation_id
), answer AS (
	INSERT INTO messages (workspace_id, conversation_id, role, content, status, lease_until, created_at)
	SELECT $1, conversation_id, 'assistant', '', 'generating', $7::timestamptz, $8 FROM question RETURNING id
), counted AS (
	INSERT INTO usages (workspace_id, month, shard, messages) VALUES ($1, $9, pg_backend_pid() % 256, 1)
	ON CONFLICT (workspace_id, month, shard) DO UPDATE SET messages = usages.messages + 1
) SELECT conversation.id, answer.id FROM conversation, answer`

// BeginConversation creates a conversation with its first turn.
func (s *Store) BeginConversation(ctx context.Context, workspaceID string, c chat.Conversation, turn chat.NewTurn) (chat.Conversation, int64, error) {
	if s.dialect == dialect.Postgres {
		var answerID int64
		err := scanOne(ctx, s.raw(ctx), []any{&c.ID, &answerID}, beginConversation,
			workspaceID, c.ChatbotID, c.ExternalUserID, c.Status, c.CreatedAt, turn.Question, turn.LeaseUntil, turn.At, turn.Month)
		return c, answerID, mapError(err)
	}
	var answerID int64
	err := s.InTx(ctx, func(ctx context.Context) error {
		err := scanOne(ctx, s.raw(ctx), []any{&c.ID}, insertConversation,
			workspaceID, c.ChatbotID, c.ExternalUserID, c.Status, c.CreatedAt)
		if err != nil {
			return mapError(err)
		}
		turn.ConversationID = c.ID
		answerID, err = s.BeginTurn(ctx, workspaceID, turn)
		return err
	})
	return c, answerID, err
}

// BeginTurn appends a question and an answer that is being generated, and
// counts the question. The partial index message_one_generating makes it a
// Conflict while there is another.
func (s *Store) BeginTurn(ctx context.Context, workspaceID string, turn chat.NewTurn) (answerID int64, err error) {
	args := []any{workspaceID, turn.ConversationID, turn.Question, turn.At, turn.LeaseUntil}
	if s.dialect == dialect.Postgres {
		answerID, err = s.insertTurn(ctx, insertTurnPostgres, append(args, turn.Month)...)
		return answerID, mapError(err)
	}
	err = s.InTx(ctx, func(ctx context.Context) error {
		if answerID, err = s.insertTurn(ctx, insertTurnSQLite, args...); err != nil {
			return mapError(err)
		}
		return mapError(s.addToMonth(ctx, workspaceID, turn.Month, 1))
	})
	return answerID, err
}

func (s *Store) insertTurn(ctx context.Context, statement string, args ...any) (answerID int64, err error) {
	rows, err := s.raw(ctx).QueryContext(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() { // the answer is the last
		if err := rows.Scan(&answerID); err != nil {
			return 0, err
		}
	}
	if err := rows.Err(); err != nil || answerID != 0 {
		return answerID, err
	}
	return 0, fault.New(fault.NotFound, "Conversation not found.")
}

// A lease that lapsed while the process was alive must not lose the answer.
const finishTurn = `UPDATE messages SET content = ?, status = ?, model = ?, prompt_tokens = ?, completion_tokens = ?,
	usage_estimated = ?, document_ids = ?, lease_until = NULL
	WHERE id = ? AND workspace_id = ? AND status IN ('generating', 'interrupted')`

// spaced puts each word between spaces, so that one can be looked for.
func spaced(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return " " + strings.Join(words, " ") + " "
}

// FinishTurn stores an answer with its final status. A question whose answer
// failed is not counted any more: that an answer is finished once is why it is
// given back once.
func (s *Store) FinishTurn(ctx context.Context, workspaceID string, answer chat.Answer) error {
	if answer.Status != chat.Failed {
		return s.inWrite(ctx, func(ctx context.Context) error { return s.finishTurn(ctx, workspaceID, answer) })
	}
	return s.InTx(ctx, func(ctx context.Context) error {
		if err := s.finishTurn(ctx, workspaceID, answer); err != nil {
			return mapError(err)
		}
		return mapError(s.giveBack(ctx, workspaceID, answer.MessageID))
	})
}

func (s *Store) finishTurn(ctx context.Context, workspaceID string, answer chat.Answer) error {
	result, err := s.raw(ctx).ExecContext(ctx, s.bind(finishTurn), answer.Text, string(answer.Status), answer.Model,
		answer.Usage.PromptTokens, answer.Usage.CompletionTokens, answer.Usage.Estimated, spaced(answer.DocumentIDs), answer.MessageID, workspaceID)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	return affected(int(n), err)
}
