package chat

import (
	"cmp"
	"context"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/chat"
	ent "parley/ent/generated"
	"parley/ent/generated/conversation"
	"parley/ent/generated/message"
	"parley/ent/scope"
	"parley/store"
)

// Conversations keeps conversations, and reads their messages.
type Conversations struct{ store *store.Store }

// NewConversations returns the conversations of a database.
func NewConversations(db *store.Store) *Conversations { return &Conversations{db} }

// CreateConversation returns the conversation with its new id.
func (s *Conversations) CreateConversation(ctx context.Context, workspaceID string, c chat.Conversation) (chat.Conversation, error) {
	metadata, err := MetadataToColumn(c.Metadata)
	if err != nil {
		return c, err
	}
	err = s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		row, err := db.Conversation.Create().SetWorkspaceID(workspaceID).SetChatbotID(c.ChatbotID).
			SetExternalUserID(c.ExternalUserID).SetStatus(c.Status).SetOrigin(string(c.Origin)).SetBegunBy(c.BegunBy).SetTitle(c.Title).
			SetMetadata(metadata).SetCreatedAt(c.CreatedAt).Save(ctx)
		if err == nil {
			c.ID = row.ID
		}
		return err
	})
	return c, err
}

// Conversation returns one conversation of a chatbot.
func (s *Conversations) Conversation(ctx context.Context, workspaceID, chatbotID string, id int64) (chat.Conversation, error) {
	row, err := s.store.Client(ctx).Conversation.Query().
		Where(conversation.ID(id), conversation.ChatbotID(chatbotID)).Only(scope.Workspace(ctx, workspaceID))
	return store.One(row, err, conversationFromRow)
}

// settled are the messages that the reader of a conversation sees: questions,
// and answers with some text.
func (s *Conversations) settled(ctx context.Context, conversationID int64) *ent.MessageQuery {
	return s.store.Client(ctx).Message.Query().Where(message.ConversationID(conversationID),
		message.StatusNEQ(string(chat.Generating)),
		message.Or(message.Role(string(chat.User)), message.ContentNEQ("")))
}

// MessageSizes returns the bytes of the texts of the settled messages after an id, without
// reading the texts.
func (s *Conversations) MessageSizes(ctx context.Context, workspaceID string, conversationID, after int64, limit int) (sizes []int, err error) {
	err = s.settled(ctx, conversationID).Where(message.IDGT(after)).Order(message.ByID()).Limit(limit).
		Aggregate(func(query *entsql.Selector) string { return "octet_length(" + query.C(message.FieldContent) + ")" }).
		Scan(scope.Workspace(ctx, workspaceID), &sizes)
	return sizes, store.MapError(err)
}

// Messages returns the settled messages after an id, oldest first.
func (s *Conversations) Messages(ctx context.Context, workspaceID string, conversationID, after int64, limit int) ([]chat.Message, error) {
	rows, err := s.settled(ctx, conversationID).Where(message.IDGT(after)).Order(message.ByID()).Limit(limit).
		Select(said...).All(scope.Workspace(ctx, workspaceID))
	messages, err := store.Mapped(rows, err, MessageFromRow)
	if err != nil {
		return nil, err
	}
	return messages, s.tellFailures(scope.Workspace(ctx, workspaceID), conversationID, messages)
}

// tellFailures gives questions the outcome of their answers that have no text, which
// are not among the messages.
func (s *Conversations) tellFailures(ctx context.Context, conversationID int64, messages []chat.Message) error {
	unanswered := map[int64]*chat.Message{}
	for i := range messages {
		isLast := i == len(messages)-1
		if messages[i].Role == chat.User && (isLast || messages[i+1].Role == chat.User) {
			unanswered[messages[i].ID] = &messages[i]
		}
	}
	if len(unanswered) == 0 {
		return nil
	}
	silent, err := s.store.Client(ctx).Message.Query().Where(message.ConversationID(conversationID), message.IDGT(messages[0].ID),
		message.Role(string(chat.Assistant)), message.StatusNEQ(string(chat.Generating)), message.Content("")).
		Order(message.ByID()).Limit(len(messages)).Select(message.FieldID, message.FieldStatus, message.FieldOutcome).All(ctx)
	if err != nil {
		return store.MapError(err)
	}
	for _, answer := range silent {
		before, _ := slices.BinarySearchFunc(messages, answer.ID, func(m chat.Message, id int64) int { return cmp.Compare(m.ID, id) })
		if question := unanswered[messages[before-1].ID]; question != nil {
			question.SilentAnswerID = answer.ID
			question.Outcome = cmp.Or(chat.Outcome(answer.Outcome), chat.OutcomeOf(chat.Status(answer.Status), false))
		}
	}
	return nil
}

// HasMessage reports whether a message is one of a conversation.
func (s *Conversations) HasMessage(ctx context.Context, workspaceID string, conversationID, messageID int64) (bool, error) {
	known, err := s.store.Client(ctx).Message.Query().
		Where(message.ID(messageID), message.ConversationID(conversationID)).Exist(scope.Workspace(ctx, workspaceID))
	return known, store.MapError(err)
}

// FittingMessages returns the first messages of a query, at most limit and, unless the first
// alone has more, with that many bytes of text together, and whether there are more.
func FittingMessages(ctx context.Context, query *ent.MessageQuery, limit, bytes int) (rows []*ent.Message, more bool, err error) {
	var sizes []int
	err = query.Clone().Limit(limit+1).Aggregate(func(query *entsql.Selector) string {
		return "octet_length(" + query.C(message.FieldContent) + ") + octet_length(" + query.C(message.FieldSources) + ") + octet_length(" + query.C(message.FieldQuery) + ")"
	}).Scan(ctx, &sizes)
	if err != nil || len(sizes) == 0 {
		return nil, false, store.MapError(err)
	}
	fitting := store.Fitting(sizes[:min(limit, len(sizes))], bytes)
	rows, err = query.Limit(fitting).All(ctx)
	return rows, fitting < len(sizes), store.MapError(err)
}

// LastMessages returns the last settled messages below an id, oldest first.
func (s *Conversations) LastMessages(ctx context.Context, workspaceID string, conversationID, before int64, limit int) ([]chat.Message, error) {
	query := s.settled(ctx, conversationID)
	if before > 0 {
		query = query.Where(message.IDLT(before))
	}
	rows, err := query.Order(ent.Desc(message.FieldID)).Limit(limit).Select(said...).All(scope.Workspace(ctx, workspaceID))
	slices.Reverse(rows)
	return store.Mapped(rows, err, MessageFromRow)
}

// said are the columns of a [chat.Message]: what an answer was made from may be long.
var said = []string{
	message.FieldID, message.FieldRole, message.FieldContent, message.FieldStatus, message.FieldOutcome, message.FieldFinishReason, message.FieldCreatedAt,
}

func MessageFromRow(row *ent.Message) chat.Message {
	return chat.Message{
		ID: row.ID, Role: chat.Role(row.Role), Content: row.Content,
		Status: chat.Status(row.Status), Outcome: chat.Outcome(row.Outcome), FinishReason: row.FinishReason,
		CreatedAt: row.CreatedAt.UTC(),
	}
}
