package store

import (
	"context"
	"slices"
	"time"

	"parley/core/chat"
	"parley/ent"
	"parley/ent/conversation"
	"parley/ent/message"
	"parley/ent/scope"
)

// CreateConversation returns the conversation with its new id.
func (s *Store) CreateConversation(ctx context.Context, workspaceID string, c chat.Conversation) (chat.Conversation, error) {
	err := s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		row, err := db.Conversation.Create().SetWorkspaceID(workspaceID).SetChatbotID(c.ChatbotID).
			SetExternalUserID(c.ExternalUserID).SetStatus(c.Status).SetCreatedAt(c.CreatedAt).Save(ctx)
		if err == nil {
			c.ID = row.ID
		}
		return err
	})
	return c, err
}

// Conversation returns one conversation of a chatbot.
func (s *Store) Conversation(ctx context.Context, workspaceID, chatbotID string, id int64) (chat.Conversation, error) {
	row, err := s.db(ctx).Conversation.Query().
		Where(conversation.ID(id), conversation.ChatbotID(chatbotID)).Only(within(ctx, workspaceID))
	return one(row, err, func(row *ent.Conversation) chat.Conversation {
		return chat.Conversation{
			ID: row.ID, WorkspaceID: row.WorkspaceID, ChatbotID: row.ChatbotID,
			ExternalUserID: row.ExternalUserID, Status: row.Status, CreatedAt: row.CreatedAt.UTC(),
		}
	})
}

// SetExternalUser ties a conversation without an external user to one.
func (s *Store) SetExternalUser(ctx context.Context, workspaceID string, id int64, externalUserID string) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		n, err := db.Conversation.Update().Where(conversation.ID(id), conversation.Or(
			conversation.ExternalUserID(""), conversation.ExternalUserID(externalUserID))).
			SetExternalUserID(externalUserID).Save(ctx)
		return affected(n, err)
	})
}

// RenewLeases extends the leases of answers of any workspace.
func (s *Store) RenewLeases(ctx context.Context, answerIDs []int64, until time.Time) error {
	return s.write(scope.System(ctx), func(ctx context.Context, db *ent.Client) error {
		for ids := range slices.Chunk(answerIDs, passageBatch) {
			err := db.Message.Update().Where(message.IDIn(ids...), message.Status(string(chat.Generating))).
				SetLeaseUntil(until).Exec(ctx)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// InterruptLapsed marks answers of any workspace whose lease has ended.
func (s *Store) InterruptLapsed(ctx context.Context, before time.Time) (int, error) {
	n := 0
	err := s.write(scope.System(ctx), func(ctx context.Context, db *ent.Client) (err error) {
		n, err = db.Message.Update().Where(message.Status(string(chat.Generating)), message.LeaseUntilLT(before)).
			SetStatus(string(chat.Interrupted)).ClearLeaseUntil().Save(ctx)
		return err
	})
	return n, err
}

// settled are messages that the reader of a conversation sees: questions, and
// answers of which there is something.
func (s *Store) settled(ctx context.Context, conversationID int64) *ent.MessageQuery {
	return s.db(ctx).Message.Query().Where(message.ConversationID(conversationID),
		message.StatusNEQ(string(chat.Generating)),
		message.Or(message.Role(string(chat.User)), message.ContentNEQ("")))
}

// Messages returns the settled messages after an id, oldest first.
func (s *Store) Messages(ctx context.Context, workspaceID string, conversationID, after int64, limit int) ([]chat.Message, error) {
	query := s.settled(ctx, conversationID).Where(message.IDGT(after)).Order(message.ByID())
	if limit > 0 {
		query = query.Limit(limit)
	}
	rows, err := query.All(within(ctx, workspaceID))
	return mapped(rows, err, toMessage)
}

// LastMessages returns the last settled messages, oldest first.
func (s *Store) LastMessages(ctx context.Context, workspaceID string, conversationID int64, limit int) ([]chat.Message, error) {
	rows, err := s.settled(ctx, conversationID).Order(ent.Desc(message.FieldID)).Limit(limit).All(within(ctx, workspaceID))
	slices.Reverse(rows)
	return mapped(rows, err, toMessage)
}

func toMessage(row *ent.Message) chat.Message {
	return chat.Message{
		ID: row.ID, Role: chat.Role(row.Role), Content: row.Content,
		Status: chat.Status(row.Status), CreatedAt: row.CreatedAt.UTC(),
	}
}
