package chat

import (
	"context"
	"database/sql"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/internal/intx"
	"parley/store"
)

// The first statements in this file begin many turns at once. A row of a workspace, a
// chatbot or a conversation that is gone, or that another transaction has locked in
// order to delete it, is left out, and harms none of the others; so is one whose key was
// claimed before. Nothing else in what a caller sends can make them fail.

// asked are the parameters that both statements have, and askedAs their names.
const (
	asked = `$1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::text[], $7::text[], $8::bigint[],
		$9::text[], $10::text[], $11::text[], $12::text[]`
	askedAs = `workspace_id, chatbot_id, question, at, lease_until, delivery, month, shard, token_id, route, key, body_hash`
)

// claimKeys claims the keys of numbered, whose rows without one have NULL. A key that is
// there, even an expired one, is left out. Servers that claim the same keys do so in the
// same order, so that none waits for another in a circle.
const claimKeys = `claimed AS (
	INSERT INTO idempotency_keys (workspace_id, token_id, route, key, body_hash, conversation_id, message_id, created_at)
	SELECT workspace_id, token_id, route, key, body_hash, conversation_id, GREATEST(first_id, second_id), at FROM numbered
	WHERE key IS NOT NULL ORDER BY token_id, route, key
	ON CONFLICT (token_id, route, key) DO NOTHING RETURNING message_id
), admitted AS MATERIALIZED (
	SELECT * FROM numbered WHERE key IS NULL OR GREATEST(first_id, second_id) IN (SELECT message_id FROM claimed)
)`

// countTurns counts the questions of begun, which has the columns of its rows. One row
// of usages is changed once.
const countTurns = `counted AS (
	INSERT INTO usages (workspace_id, month, shard, messages)
	SELECT workspace_id, month, shard + pg_backend_pid() % 256, COUNT(*) FROM begun GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
	ON CONFLICT (workspace_id, month, shard) DO UPDATE SET messages = usages.messages + excluded.messages
)`

// beginConversations begins conversations, each with its first turn. The ids come from
// the sequences first, so that all rows know of each other.
const beginConversations = `WITH allowed AS MATERIALIZED (
	SELECT a.* FROM unnest(` + asked + `, $13::text[], $14::text[], $15::timestamptz[], $16::text[], $17::text[], $18::text[], $19::text[]) WITH ORDINALITY
	AS a (` + askedAs + `,
		external_user_id, status, created_at, origin, begun_by, title, metadata, place)
	JOIN workspaces w ON w.id = a.workspace_id JOIN chatbots b ON b.id = a.chatbot_id AND b.workspace_id = a.workspace_id
	FOR KEY SHARE OF w, b SKIP LOCKED
), numbered AS MATERIALIZED (
	SELECT *, nextval('conversations_id_seq') AS conversation_id, nextval('messages_id_seq') AS first_id, nextval('messages_id_seq') AS second_id FROM allowed
), ` + claimKeys + `, begun AS NOT MATERIALIZED (
	SELECT * FROM admitted
), conversation AS (
	INSERT INTO conversations (id, workspace_id, chatbot_id, external_user_id, status, created_at, origin, begun_by, title, metadata)
	SELECT conversation_id, workspace_id, chatbot_id, external_user_id, status, created_at, origin, begun_by, title, metadata FROM begun
), message AS (
	INSERT INTO messages (id, workspace_id, conversation_id, role, content, status, lease_until, created_at, delivery)
	SELECT LEAST(first_id, second_id), workspace_id, conversation_id, 'user', question, 'complete', NULL, at, '' FROM begun
	UNION ALL
	SELECT GREATEST(first_id, second_id), workspace_id, conversation_id, 'assistant', '', 'generating', lease_until, at, delivery FROM begun
), ` + countTurns + ` SELECT place, conversation_id, GREATEST(first_id, second_id) FROM begun`

// appendTurns begins the next turns of conversations, and reads what was said in them
// before. A conversation in which an answer is being generated is left out: while it is,
// the history is not complete. One in which another server begins an answer within the
// same statement is left out, too, unless its key has been claimed: then all of it fails,
// so that no claim stays.
const appendTurns = `WITH allowed AS MATERIALIZED (
	SELECT a.* FROM unnest(` + asked + `, $13::bigint[], $14::bigint[], $15::text[], $16::text[]) WITH ORDINALITY
	AS a (` + askedAs + `, conversation_id, wanted, seen, title, place)
	JOIN workspaces w ON w.id = a.workspace_id JOIN conversations c ON c.id = a.conversation_id AND c.workspace_id = a.workspace_id
	WHERE (a.seen IS NULL OR a.seen = c.external_user_id)
		AND NOT EXISTS (SELECT FROM messages g WHERE g.conversation_id = a.conversation_id AND g.status = 'generating')
	FOR KEY SHARE OF w, c SKIP LOCKED
), numbered AS MATERIALIZED (
	SELECT *, nextval('messages_id_seq') AS first_id, nextval('messages_id_seq') AS second_id FROM allowed
), ` + claimKeys + `, keyed AS (
	INSERT INTO messages (id, workspace_id, conversation_id, role, content, status, lease_until, created_at, delivery)
	SELECT GREATEST(first_id, second_id), workspace_id, conversation_id, 'assistant', '', 'generating', lease_until, at, delivery FROM admitted
	WHERE key IS NOT NULL RETURNING id
), answer AS (
	INSERT INTO messages (id, workspace_id, conversation_id, role, content, status, lease_until, created_at, delivery)
	SELECT GREATEST(first_id, second_id), workspace_id, conversation_id, 'assistant', '', 'generating', lease_until, at, delivery FROM admitted
	WHERE key IS NULL
	ON CONFLICT (conversation_id) WHERE status = 'generating' DO NOTHING RETURNING id
), begun AS MATERIALIZED (
	SELECT n.*, a.id AS answer_id FROM (SELECT id FROM keyed UNION ALL SELECT id FROM answer) a JOIN admitted n ON a.id = GREATEST(n.first_id, n.second_id)
), titled AS (
	UPDATE conversations c SET title = b.title FROM begun b
	WHERE b.title <> '' AND c.id = b.conversation_id AND c.workspace_id = b.workspace_id AND c.title = ''
), question AS (
	INSERT INTO messages (id, workspace_id, conversation_id, role, content, status, created_at)
	SELECT LEAST(first_id, second_id), workspace_id, conversation_id, 'user', question, 'complete', at FROM begun
), ` + countTurns + ` SELECT b.place, b.answer_id, COALESCE(m.id, 0), COALESCE(m.role, ''), COALESCE(m.content, ''), COALESCE(m.status, ''),
	COALESCE(m.outcome, ''), COALESCE(m.finish_reason, ''), COALESCE(m.created_at, b.at)
	FROM begun b LEFT JOIN LATERAL (
		SELECT * FROM messages WHERE conversation_id = b.conversation_id AND (role = 'user' OR content <> '') ORDER BY id DESC LIMIT b.wanted
	) m ON TRUE ORDER BY b.place, m.id`

// insertTurnPostgres adds a question and an answer to one conversation, the answer last, and
// counts the question (see usages.go). That runs last, and so keeps others waiting for the
// commit alone. Before anything else it locks the workspace against deletion: a deletion
// takes its locks in that order, too, so neither ends in a deadlock. insertTitledPostgres
// also gives a title to a conversation that was begun without a question.
const (
	insertTurnPostgres   = `WITH ` + turnPostgres
	insertTitledPostgres = `WITH titled AS (
	UPDATE conversations SET title = $9 WHERE id = $2 AND workspace_id = $1 AND title = ''
), ` + turnPostgres
	turnPostgres = `conversation AS (
	SELECT c.workspace_id, c.id FROM conversations c JOIN workspaces w ON w.id = c.workspace_id
	WHERE c.id = $2 AND c.workspace_id = $1 FOR KEY SHARE OF w
), counted AS (
	INSERT INTO usages (workspace_id, month, shard, messages)
	SELECT workspace_id, $7, $8::bigint + pg_backend_pid() % 256, 1 FROM conversation
	ON CONFLICT (workspace_id, month, shard) DO UPDATE SET messages = usages.messages + 1
) INSERT INTO messages (workspace_id, conversation_id, role, content, status, lease_until, created_at, delivery)
	SELECT c.workspace_id, c.id, turn.role, turn.content, turn.status, turn.lease_until, $4::timestamptz, turn.delivery
	FROM conversation c, (VALUES (1, 'user', $3, 'complete', NULL::timestamptz, ''),
		(2, 'assistant', '', 'generating', $5::timestamptz, $6)) AS turn (place, role, content, status, lease_until, delivery)
	ORDER BY turn.place RETURNING id`
)

// beginConversation begins one conversation with its first turn. The answer selects from the
// question, and so comes after it.
const beginConversation = `WITH workspace AS (
	SELECT id FROM workspaces WHERE id = $1 FOR KEY SHARE
), conversation AS (
	INSERT INTO conversations (workspace_id, chatbot_id, external_user_id, status, created_at, origin, begun_by, title, metadata)
	SELECT id, $2, $3, $4, $5::timestamptz, $12, $13, $14, $15 FROM workspace RETURNING id
), question AS (
	INSERT INTO messages (workspace_id, conversation_id, role, content, status, created_at)
	SELECT $1, id, 'user', $6, 'complete', $8::timestamptz FROM conversation RETURNING conversation_id
), answer AS (
	INSERT INTO messages (workspace_id, conversation_id, role, content, status, lease_until, created_at, delivery)
	SELECT $1, conversation_id, 'assistant', '', 'generating', $7::timestamptz, $8, $10 FROM question RETURNING id
), counted AS (
	INSERT INTO usages (workspace_id, month, shard, messages)
	SELECT id, $9, $11::bigint + pg_backend_pid() % 256, 1 FROM workspace
	ON CONFLICT (workspace_id, month, shard) DO UPDATE SET messages = usages.messages + 1
) SELECT conversation.id, answer.id FROM conversation, answer`

// openingOf is a turn that is about to begin, on its way into a statement.
type openingOf struct {
	workspaceID string
	// metadata is the conversation's, which is a new one, or one with nothing but ids.
	conversation chat.Conversation
	metadata     string
	turn.Opening
	shard int64
}

// begunTurn is a turn that has begun.
type begunTurn struct {
	conversationID, answerID int64
	earlier                  []chat.Message
}

// openings are the parameters that both statements have.
func openings(rows []openingOf) []any {
	return []any{
		store.Column(rows, func(r *openingOf) string { return r.workspaceID }),
		store.Column(rows, func(r *openingOf) string { return r.conversation.ChatbotID }),
		store.Column(rows, func(r *openingOf) string { return r.Question }),
		store.Column(rows, func(r *openingOf) time.Time { return r.At }),
		store.Column(rows, func(r *openingOf) time.Time { return r.LeaseUntil }),
		store.Column(rows, func(r *openingOf) string { return deliveryWords(r.Delivery) }),
		store.Column(rows, func(r *openingOf) string { return r.Month }),
		store.Column(rows, func(r *openingOf) int64 { return r.shard }),
		store.Column(rows, func(r *openingOf) *string { return r.ofKey(func(k *chat.Claiming) *string { return &k.TokenID }) }),
		store.Column(rows, func(r *openingOf) *string { return r.ofKey(func(k *chat.Claiming) *string { return &k.Route }) }),
		store.Column(rows, func(r *openingOf) *string { return r.ofKey(func(k *chat.Claiming) *string { return &k.Value }) }),
		store.Column(rows, func(r *openingOf) *string { return r.ofKey(func(k *chat.Claiming) *string { return &k.BodyHash }) }),
	}
}

// ofKey is a part of the row's key, or nil without one.
func (r *openingOf) ofKey(part func(*chat.Claiming) *string) *string {
	if r.Key == nil {
		return nil
	}
	return part(r.Key)
}

func beginConversationsTogether(ctx context.Context, on entsql.ExecQuerier, rows []openingOf, tell func(int, begunTurn)) error {
	args := append(openings(rows),
		store.Column(rows, func(r *openingOf) string { return r.conversation.ExternalUserID }),
		store.Column(rows, func(r *openingOf) string { return r.conversation.Status }),
		store.Column(rows, func(r *openingOf) time.Time { return r.conversation.CreatedAt }),
		store.Column(rows, func(r *openingOf) string { return string(r.conversation.Origin) }),
		store.Column(rows, func(r *openingOf) string { return r.conversation.BegunBy }),
		store.Column(rows, func(r *openingOf) string { return r.conversation.Title }),
		store.Column(rows, func(r *openingOf) string { return r.metadata }),
	)
	return store.EachRow(ctx, on, beginConversations, args, func(row *sql.Rows) error {
		var place int
		var begun begunTurn
		err := row.Scan(&place, &begun.conversationID, &begun.answerID)
		if err == nil {
			tell(place-1, begun)
		}
		return err
	})
}

// beginConversationOnPostgres begins a conversation together with others, or in the transaction of
// ctx.
func (s *Turns) beginConversationOnPostgres(ctx context.Context, row openingOf) (begunTurn, error) {
	row.shard = firstShard(s.store, row.Reserved)
	if intx.Inside(ctx) {
		return s.beginConversationWithin(ctx, row)
	}
	return s.groups.conversations.Do(ctx, row)
}

// beginConversationAlone is one round trip, and waits for who has locked the workspace or
// the chatbot. A key makes it a transaction if it is taken, or was and has expired.
func (s *Turns) beginConversationAlone(ctx context.Context, row openingOf) (begun begunTurn, err error) {
	if row.Key == nil {
		return s.beginConversationWithin(ctx, row)
	}
	var isBegun bool
	err = beginConversationsTogether(ctx, s.store.Raw(ctx), []openingOf{row}, func(_ int, b begunTurn) { begun, isBegun = b, true })
	if err != nil || isBegun {
		return begun, err
	}
	err = s.store.InTx(ctx, func(ctx context.Context) (err error) {
		begun, err = s.beginConversationWithin(ctx, row)
		return err
	})
	return begun, err
}

// beginConversationWithin is beginConversationsTogether for one, in the transaction of ctx.
func (s *Turns) beginConversationWithin(ctx context.Context, row openingOf) (begun begunTurn, err error) {
	c := row.conversation
	err = store.ScanOne(ctx, s.store.Raw(ctx), []any{&begun.conversationID, &begun.answerID}, beginConversation,
		row.workspaceID, c.ChatbotID, c.ExternalUserID, c.Status, c.CreatedAt, row.Question, row.LeaseUntil, row.At, row.Month, deliveryWords(row.Delivery), row.shard,
		string(c.Origin), c.BegunBy, c.Title, row.metadata)
	if err != nil {
		return begun, err
	}
	return begun, s.claimKey(ctx, row.workspaceID, row.Opening, begun.conversationID, begun.answerID)
}

// beginTurnOnPostgres begins a turn together with others, or in the transaction of ctx. One that
// ties its conversation to an end user, which another may do at the same time, goes alone.
func (s *Turns) beginTurnOnPostgres(ctx context.Context, row openingOf) (begunTurn, error) {
	row.shard = firstShard(s.store, row.Reserved)
	switch {
	case intx.Inside(ctx):
		return s.beginTurnWithin(ctx, row)
	case row.EndUser != "":
		return s.beginTurnInTx(ctx, row)
	}
	return s.groups.turns.Do(ctx, row)
}

func beginTurnsTogether(ctx context.Context, on entsql.ExecQuerier, rows []openingOf, tell func(int, begunTurn)) error {
	args := append(openings(rows),
		store.Column(rows, func(r *openingOf) int64 { return r.ConversationID }),
		store.Column(rows, func(r *openingOf) int { return r.Earlier }),
		store.Column(rows, func(r *openingOf) *string { return r.Seen }),
		store.Column(rows, func(r *openingOf) string { return r.Title }))
	begun := make(map[int]*begunTurn, len(rows))
	err := store.EachRow(ctx, on, appendTurns, args, func(row *sql.Rows) error {
		var place int
		var answerID int64
		var m chat.Message
		if err := row.Scan(&place, &answerID, &m.ID, &m.Role, &m.Content, &m.Status, &m.Outcome, &m.FinishReason, &m.CreatedAt); err != nil {
			return err
		}
		b := begun[place-1]
		if b == nil {
			b = &begunTurn{conversationID: rows[place-1].ConversationID, answerID: answerID}
			begun[place-1] = b
		}
		if m.ID != 0 {
			m.CreatedAt = m.CreatedAt.UTC()
			b.earlier = append(b.earlier, m)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for place, b := range begun {
		tell(place, *b)
	}
	return nil
}

// beginTurnAlone is one round trip, unless the turn cannot begin so: then it waits for
// who has locked the conversation, and gets the error of its own. One in a conversation
// that was not just read fails at once.
func (s *Turns) beginTurnAlone(ctx context.Context, row openingOf) (begun begunTurn, err error) {
	var isBegun bool
	err = beginTurnsTogether(ctx, s.store.Raw(ctx), []openingOf{row}, func(_ int, b begunTurn) { begun, isBegun = b, true })
	switch {
	case err != nil || isBegun:
		return begun, err
	case row.Seen != nil:
		return begun, turn.ErrNotAsSeen
	}
	return s.beginTurnInTx(ctx, row)
}

func (s *Turns) beginTurnInTx(ctx context.Context, row openingOf) (begun begunTurn, err error) {
	err = s.store.InTx(ctx, func(ctx context.Context) (err error) {
		begun, err = s.beginTurnWithin(ctx, row)
		return err
	})
	return begun, err
}

// beginTurnWithin is beginTurnsTogether for one turn, in the transaction of ctx.
func (s *Turns) beginTurnWithin(ctx context.Context, row openingOf) (begun begunTurn, err error) {
	statement, args := insertTurnPostgres, []any{row.workspaceID, row.ConversationID, row.Question, row.At, row.LeaseUntil, deliveryWords(row.Delivery), row.Month, row.shard}
	if row.Title != "" {
		statement, args = insertTitledPostgres, append(args, row.Title)
	}
	if begun.answerID, err = s.insertTurn(ctx, statement, args...); err != nil {
		return begun, err
	}
	begun.earlier, err = s.completeTurn(ctx, row.workspaceID, row.Opening, begun.answerID)
	return begun, err
}
