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
// the answer last. The databases name the types of parameters differently.
const (
	insertTurnSQLite = `INSERT INTO messages (workspace_id, conversation_id, role, content, status, lease_until, created_at)
	SELECT workspace_id, id, 'user', ?3, 'complete', NULL, ?4 FROM conversations WHERE id = ?2 AND workspace_id = ?1
	UNION ALL
	SELECT workspace_id, id, 'assistant', '', 'generating', ?5, ?4 FROM conversations WHERE id = ?2 AND workspace_id = ?1
	RETURNING id`
	insertTurnPostgres = `INSERT INTO messages (workspace_id, conversation_id, role, content, status, lease_until, created_at)
	SELECT c.workspace_id, c.id, turn.role, turn.content, turn.status, turn.lease_until, $4::timestamptz
	FROM conversations c, (VALUES (1, 'user', $3, 'complete', NULL::timestamptz),
		(2, 'assistant', '', 'generating', $5::timestamptz)) AS turn (place, role, content, status, lease_until)
	WHERE c.id = $2 AND c.workspace_id = $1 ORDER BY turn.place RETURNING id`
)

// beginConversation does both in one statement. The answer selects from the
// question, and so comes after it.
const beginConversation = `WITH conversation AS (
	INSERT INTO conversations (workspace_id, chatbot_id, external_user_id, status, created_at)
	VALUES ($1, $2, $3, $4, $5) RETURNING id
), question AS (
	INSERT INTO messages (workspace_id, conversation_id, role, content, status, created_at)
	SELECT $1, id, 'user', $6, 'complete', $5 FROM conversation RETURNING conversation_id
), answer AS (
	INSERT INTO messages (workspace_id, conversation_id, role, content, status, lease_until, created_at)
	SELECT $1, conversation_id, 'assistant', '', 'generating', $7::timestamptz, $5 FROM question RETURNING id
) SELECT conversation.id, answer.id FROM conversation, answer`

// BeginConversation creates a conversation with its first turn.
func (s *Store) BeginConversation(ctx context.Context, workspaceID string, c chat.Conversation, turn chat.NewTurn) (chat.Conversation, int64, error) {
	if s.dialect == dialect.Postgres {
		var answerID int64
		err := scanOne(ctx, s.raw(ctx), []any{&c.ID, &answerID}, beginConversation,
			workspaceID, c.ChatbotID, c.ExternalUserID, c.Status, c.CreatedAt, turn.Question, turn.LeaseUntil)
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

// BeginTurn appends a question and an answer that is being generated. The
// partial index message_one_generating makes it a Conflict while there is
// another.
func (s *Store) BeginTurn(ctx context.Context, workspaceID string, turn chat.NewTurn) (answerID int64, err error) {
	err = s.inWrite(ctx, func(ctx context.Context) error {
		insertTurn := insertTurnSQLite
		if s.dialect == dialect.Postgres {
			insertTurn = insertTurnPostgres
		}
		rows, err := s.raw(ctx).QueryContext(ctx, insertTurn,
			workspaceID, turn.ConversationID, turn.Question, turn.At, turn.LeaseUntil)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() { // the answer is the last
			if err := rows.Scan(&answerID); err != nil {
				return err
			}
		}
		if err := rows.Err(); err != nil || answerID != 0 {
			return err
		}
		return fault.New(fault.NotFound, "Conversation not found.")
	})
	return answerID, err
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

// FinishTurn stores an answer with its final status.
func (s *Store) FinishTurn(ctx context.Context, workspaceID string, answer chat.Answer) error {
	return s.inWrite(ctx, func(ctx context.Context) error {
		result, err := s.raw(ctx).ExecContext(ctx, s.bind(finishTurn), answer.Text, string(answer.Status), answer.Model,
			answer.Usage.PromptTokens, answer.Usage.CompletionTokens, answer.Usage.Estimated, spaced(answer.DocumentIDs), answer.MessageID, workspaceID)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		return affected(int(n), err)
	})
}

// livePassages begins with the passages, whatever a planner without statistics
// believes of documents.
const livePassages = `WITH found AS MATERIALIZED (
	SELECT id, document_id, version, ordinal, title, heading_path, place, text FROM passages
	WHERE id IN (%s) AND workspace_id = ? AND chatbot_id = ?
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
	args = append(args, workspaceID, chatbotID)
	query := s.bind(fmt.Sprintf(livePassages, strings.Repeat("?,", len(ids)-1)+"?"))
	rows, err := s.raw(ctx).QueryContext(ctx, query, args...)
	if err != nil {
		return nil, mapError(err)
	}
	defer rows.Close()
	found := make([]knowledge.Passage, 0, len(ids))
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
