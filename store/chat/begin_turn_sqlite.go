package chat

import (
	"context"

	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/fault"
	"parley/ent/generated/conversation"
	"parley/ent/scope"
	"parley/store"
)

// The statements in this file, in finish.go and in usages.go run for every chat request, as
// those of live passages in package knowledge do, and are SQL by hand: ent's builders and
// privacy filters would run for each of them again, and PostgreSQL begins a turn in one
// round trip. Each names the workspace itself.

const insertConversation = `INSERT INTO conversations (workspace_id, chatbot_id, external_user_id, status, created_at, origin, begun_by, title, metadata)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`

// insertTurnSQLite adds a question and an answer to a conversation of the workspace, the
// answer last.
const insertTurnSQLite = `INSERT INTO messages (workspace_id, conversation_id, role, content, status, lease_until, created_at, delivery)
	SELECT workspace_id, id, 'user', $3, 'complete', NULL, $4, '' FROM conversations
	WHERE id = $2 AND workspace_id = $1 AND ($7 IS NULL OR external_user_id = $7)
	UNION ALL
	SELECT workspace_id, id, 'assistant', '', 'generating', $5, $4, $6 FROM conversations
	WHERE id = $2 AND workspace_id = $1 AND ($7 IS NULL OR external_user_id = $7)
	RETURNING id`

const setTitle = `UPDATE conversations SET title = $3 WHERE id = $2 AND workspace_id = $1 AND title = ''`

// BeginConversation creates a conversation with its first turn.
func (s *Turns) BeginConversation(ctx context.Context, workspaceID string, c chat.Conversation, turn turn.Opening) (chat.Conversation, int64, error) {
	ctx = scope.Workspace(ctx, workspaceID)
	metadata, err := MetadataToColumn(c.Metadata)
	if err != nil {
		return c, 0, err
	}
	if !s.store.IsSQLite() {
		begun, err := s.beginConversationOnPostgres(ctx, openingOf{workspaceID: workspaceID, conversation: c, metadata: metadata, Opening: turn})
		c.ID = begun.conversationID
		return c, begun.answerID, store.MapError(err)
	}
	var answerID int64
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		err := store.ScanOne(ctx, s.store.Raw(ctx), []any{&c.ID}, insertConversation,
			workspaceID, c.ChatbotID, c.ExternalUserID, c.Status, c.CreatedAt, string(c.Origin), c.BegunBy, c.Title, metadata)
		if err != nil {
			return store.MapError(err)
		}
		turn.ConversationID = c.ID
		answerID, _, err = s.BeginTurn(ctx, workspaceID, turn)
		return err
	})
	return c, answerID, err
}

// completeTurn does what else belongs to a turn that the transaction of ctx has begun, which
// has locked the workspace by then, as a deletion does before it locks the conversation.
// It returns what was said before.
func (s *Turns) completeTurn(ctx context.Context, workspaceID string, opening turn.Opening, answerID int64) ([]chat.Message, error) {
	if opening.EndUser != "" {
		if err := s.tieEndUser(ctx, workspaceID, opening.ConversationID, opening.EndUser); err != nil {
			return nil, err
		}
	}
	if err := s.claimKey(ctx, workspaceID, opening, opening.ConversationID, answerID); err != nil {
		return nil, err
	}
	return s.saidBefore(ctx, workspaceID, opening)
}

// tieEndUser ties a conversation without an end user to one.
func (s *Turns) tieEndUser(ctx context.Context, workspaceID string, id int64, endUser string) error {
	n, err := s.store.Client(ctx).Conversation.Update().Where(conversation.ID(id), conversation.Or(
		conversation.ExternalUserID(""), conversation.ExternalUserID(endUser))).
		SetExternalUserID(endUser).Save(scope.Workspace(ctx, workspaceID))
	if err == nil && n == 0 {
		return chat.ErrNoConversation
	}
	return err
}

// claimKey claims the key of a turn that the transaction of ctx has begun.
func (s *Turns) claimKey(ctx context.Context, workspaceID string, opening turn.Opening, conversationID, answerID int64) error {
	if opening.Key == nil {
		return nil
	}
	err := NewKeys(s.store).Claim(ctx, workspaceID, opening.Key.Key, chat.Claim{ConversationID: conversationID, AnswerID: answerID, At: opening.At}, opening.Key.Since)
	if fault.Is(err, fault.Conflict) {
		return chat.ErrClaimed
	}
	return err
}

// BeginTurn appends a question and an answer that is being generated, counts the
// question, and reads what was said before. The partial index
// message_one_generating makes it a Conflict while there is another.
func (s *Turns) BeginTurn(ctx context.Context, workspaceID string, opening turn.Opening) (answerID int64, earlier []chat.Message, err error) {
	ctx = scope.Workspace(ctx, workspaceID)
	if !s.store.IsSQLite() {
		begun, err := s.beginTurnOnPostgres(ctx, openingOf{workspaceID: workspaceID, Opening: opening})
		return begun.answerID, begun.earlier, store.MapError(err)
	}
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		answerID, err = s.insertTurn(ctx, insertTurnSQLite, workspaceID, opening.ConversationID, opening.Question, opening.At, opening.LeaseUntil, deliveryWords(opening.Delivery), opening.Seen)
		if err = store.MapError(err); opening.Seen != nil && fault.Is(err, fault.NotFound) {
			return turn.ErrNotAsSeen
		}
		if err != nil {
			return err
		}
		if opening.Title != "" {
			if _, err := s.store.Raw(ctx).ExecContext(ctx, setTitle, workspaceID, opening.ConversationID, opening.Title); err != nil {
				return store.MapError(err)
			}
		}
		if err := NewMonths(s.store).AddToMonth(ctx, workspaceID, opening.Month, opening.Reserved); err != nil {
			return store.MapError(err)
		}
		earlier, err = s.completeTurn(ctx, workspaceID, opening, answerID)
		return store.MapError(err)
	})
	return answerID, earlier, err
}

// saidBefore returns what was said before a turn that the transaction of ctx has begun. Its
// question is the last that was said.
func (s *Turns) saidBefore(ctx context.Context, workspaceID string, turn turn.Opening) ([]chat.Message, error) {
	if turn.Earlier == 0 {
		return nil, nil
	}
	said, err := NewConversations(s.store).LastMessages(ctx, workspaceID, turn.ConversationID, 0, turn.Earlier+1)
	if err != nil {
		return nil, err
	}
	return said[:len(said)-1], nil
}

func (s *Turns) insertTurn(ctx context.Context, statement string, args ...any) (answerID int64, err error) {
	rows, err := s.store.Raw(ctx).QueryContext(ctx, statement, args...)
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
