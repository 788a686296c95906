package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"parley/core/chat"
	"parley/core/fault"
	"parley/core/knowledge"
)

// The statements in this file run for every chat request, and are SQL by hand:
// ent's builders and privacy filters would run for each of them again, and
// PostgreSQL begins a turn in one round trip. Each names the workspace itself.

// raw returns what runs statements in the transaction of ctx, or outside of
// one.
func (s *Store) raw(ctx context.Context) entsql.ExecQuerier {
	if tx, ok := ctx.Value(txKey{}).(*transaction); ok {
		return tx.raw
	}
	return s.queries
}

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

// livePassages begins with the passages, whatever a planner without statistics
// believes of documents.
const livePassages = `WITH found AS MATERIALIZED (
	SELECT id, document_id, version, ordinal, title, heading_path, place, text FROM passages
	WHERE (%s) AND workspace_id = ? AND chatbot_id = ?
) SELECT found.*, documents.source_id, documents.url FROM found CROSS JOIN documents
	WHERE documents.id = found.document_id AND documents.live > 0`

// LivePassages returns those of the passages that belong to the chatbot and to
// a document that is answered from.
func (s *Store) LivePassages(ctx context.Context, workspaceID, chatbotID string, ids []int64) ([]knowledge.Passage, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	args := make([]any, 0, len(ids)+2)
	for _, id := range ids {
		args = append(args, id)
	}
	return s.livePassages(ctx, "id IN "+placeholders(len(ids)), append(args, workspaceID, chatbotID))
}

// LivePassagesAt is LivePassages for passages that are named by where they
// stand.
func (s *Store) LivePassagesAt(ctx context.Context, workspaceID, chatbotID string, at []knowledge.PassageAt) ([]knowledge.Passage, error) {
	if len(at) == 0 {
		return nil, nil
	}
	args := make([]any, 0, 3*len(at)+2)
	for _, p := range at {
		args = append(args, p.DocumentID, p.Version, p.Ordinal)
	}
	// Not a list of rows: only of single conditions do both databases look up
	// each in the index.
	each := strings.Repeat(" OR document_id = ? AND version = ? AND ordinal = ?", len(at))
	return s.livePassages(ctx, strings.TrimPrefix(each, " OR "), append(args, workspaceID, chatbotID))
}

func (s *Store) livePassages(ctx context.Context, which string, args []any) ([]knowledge.Passage, error) {
	rows, err := s.raw(ctx).QueryContext(ctx, s.bind(fmt.Sprintf(livePassages, which)), args...)
	if err != nil {
		return nil, mapError(err)
	}
	defer rows.Close()
	var found []knowledge.Passage
	for rows.Next() {
		p, err := scanPassage(rows)
		if err != nil {
			return nil, mapError(err)
		}
		found = append(found, p)
	}
	return found, mapError(rows.Err())
}

func scanPassage(rows *sql.Rows) (p knowledge.Passage, err error) {
	var headings []byte
	if err := rows.Scan(&p.ID, &p.DocumentID, &p.Version, &p.Ordinal, &p.Title, &headings, &p.Place, &p.Text, &p.SourceID, &p.URL); err != nil {
		return p, err
	}
	return p, json.Unmarshal(headings, &p.HeadingPath)
}

// inWrite runs fn, a single statement, where the database wants its writes.
func (s *Store) inWrite(ctx context.Context, fn func(context.Context) error) error {
	if s.dialect == dialect.Postgres {
		return mapError(fn(ctx))
	}
	return s.InTx(ctx, func(ctx context.Context) error { return mapError(fn(ctx)) })
}

// bind writes a statement's parameters as its database has them.
func (s *Store) bind(query string) string {
	if s.dialect != dialect.Postgres {
		return query
	}
	var b strings.Builder
	for n := 0; ; n++ {
		before, after, more := strings.Cut(query, "?")
		b.WriteString(before)
		if !more {
			return b.String()
		}
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(n + 1))
		query = after
	}
}

// scanOne reads the one row of a query.
func scanOne(ctx context.Context, on entsql.ExecQuerier, into []any, query string, args ...any) error {
	rows, err := on.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return err
		}
		return fault.New(fault.NotFound, "Not found.")
	}
	if err := rows.Scan(into...); err != nil {
		return err
	}
	return rows.Err()
}
