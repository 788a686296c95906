package insight

import (
	"context"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"parley/core/chat"
	"parley/core/find"
	ent "parley/ent/generated"
	entchatbot "parley/ent/generated/chatbot"
	"parley/ent/generated/conversation"
	"parley/ent/generated/document"
	"parley/ent/generated/predicate"
	"parley/ent/scope"
	"parley/store"
	knowledgestore "parley/store/knowledge"
)

// Finds looks for what workspaces have, by parts of names.
type Finds struct{ store *store.Store }

// NewFinds returns what a database can be looked through with.
func NewFinds(db *store.Store) *Finds { return &Finds{db} }

var _ find.Store = (*Finds)(nil)

// FoundChatbots returns chatbots by a part of their names, the latest first.
func (s *Finds) FoundChatbots(ctx context.Context, workspaceID, text string) ([]find.Chatbot, error) {
	var rows []find.Chatbot
	err := s.store.Client(ctx).Chatbot.Query().
		Where(entchatbot.WorkspaceID(workspaceID), predicate.Chatbot(hasText(entchatbot.FieldName, text))).
		Order(ent.Desc(entchatbot.FieldCreatedAt, entchatbot.FieldID)).Limit(find.Most).
		Select(entchatbot.FieldID, entchatbot.FieldName).Scan(scope.Workspace(ctx, workspaceID), &rows)
	return rows, store.MapError(err)
}

// FoundDocuments returns documents by a part of their titles and addresses, the
// latest first.
func (s *Finds) FoundDocuments(ctx context.Context, workspaceID, chatbotID, text string) ([]find.Document, error) {
	where := []predicate.Document{document.WorkspaceID(workspaceID)}
	if chatbotID != "" {
		where = append(where, document.ChatbotID(chatbotID))
	}
	where = append(where, knowledgestore.FoundBy(text))
	var rows []*ent.Document
	err := s.store.Client(ctx).Document.Query().Where(where...).Order(ent.Desc(document.FieldCreatedAt, document.FieldID)).Limit(find.Most).
		Select(document.FieldID, document.FieldChatbotID, document.FieldTitle).Scan(scope.Workspace(ctx, workspaceID), &rows)
	return store.Mapped(rows, err, func(row *ent.Document) find.Document {
		return find.Document{ID: row.ID, ChatbotID: row.ChatbotID, Title: row.Title}
	})
}

// FoundConversations returns conversations by a part of their titles, the latest
// first, of the workspace's latest [find.Window].
func (s *Finds) FoundConversations(ctx context.Context, workspaceID, chatbotID, viewer, text string) ([]find.Conversation, error) {
	ctx = scope.Workspace(ctx, workspaceID)
	oldest, err := s.store.Client(ctx).Conversation.Query().Where(conversation.WorkspaceID(workspaceID)).
		Order(ent.Desc(conversation.FieldCreatedAt)).Offset(find.Window-1).Limit(1).Select(conversation.FieldID, conversation.FieldCreatedAt).All(ctx)
	if err != nil {
		return nil, store.MapError(err)
	}
	where := []predicate.Conversation{
		conversation.WorkspaceID(workspaceID), predicate.Conversation(hasText(conversation.FieldTitle, text)),
		conversation.Or(conversation.OriginNEQ(string(chat.Playground)), conversation.BegunBy(viewer)),
	}
	if len(oldest) > 0 {
		where = append(where, conversation.CreatedAtGTE(oldest[0].CreatedAt))
	}
	if chatbotID != "" {
		where = append(where, conversation.ChatbotID(chatbotID))
	}
	rows, err := s.store.Client(ctx).Conversation.Query().Where(where...).Order(ent.Desc(conversation.FieldCreatedAt, conversation.FieldID)).Limit(find.Most).
		Select(conversation.FieldID, conversation.FieldChatbotID, conversation.FieldTitle).All(ctx)
	return store.Mapped(rows, err, func(row *ent.Conversation) find.Conversation {
		return find.Conversation{ID: row.ID, ChatbotID: row.ChatbotID, Title: row.Title}
	})
}

// ChatbotNames returns the names of a workspace's chatbots by their IDs.
func (s *Finds) ChatbotNames(ctx context.Context, workspaceID string, ids []string) (map[string]string, error) {
	names := make(map[string]string, len(ids))
	if len(ids) == 0 {
		return names, nil
	}
	rows, err := s.store.Client(ctx).Chatbot.Query().Where(entchatbot.WorkspaceID(workspaceID), entchatbot.IDIn(ids...)).
		Select(entchatbot.FieldID, entchatbot.FieldName).All(scope.Workspace(ctx, workspaceID))
	for _, row := range rows {
		names[row.ID] = row.Name
	}
	return names, store.MapError(err)
}

// hasText selects rows with a text in a column, whatever the case. SQLite
// knows the cases of ASCII only, and ignores them by itself.
func hasText(column, text string) func(*entsql.Selector) {
	pattern := store.PatternOf(text)
	return func(q *entsql.Selector) {
		like := " LIKE "
		if q.Dialect() == dialect.Postgres {
			like = " ILIKE "
		}
		q.Where(entsql.P(func(b *entsql.Builder) {
			b.Ident(q.C(column)).WriteString(like).Arg(pattern).WriteString(` ESCAPE '\'`)
		}))
	}
}
