package chat

import (
	"context"
	"encoding/json"

	"parley/core/chat"
	ent "parley/ent/generated"
	"parley/ent/generated/conversation"
	"parley/ent/generated/predicate"
	"parley/ent/scope"
	"parley/store"
)

func conversationFromRow(row *ent.Conversation) chat.Conversation {
	return chat.Conversation{
		ID: row.ID, WorkspaceID: row.WorkspaceID, ChatbotID: row.ChatbotID,
		ExternalUserID: row.ExternalUserID, Status: row.Status, Origin: chat.Origin(row.Origin), BegunBy: row.BegunBy,
		Title: row.Title, Metadata: metadataFromColumn(row.Metadata), CreatedAt: row.CreatedAt.UTC(),
	}
}

// metadataFromColumn reads what MetadataToColumn wrote. Nothing, and what cannot be read, are no
// pairs.
func metadataFromColumn(kept string) (pairs map[string]string) {
	if kept != "" && json.Unmarshal([]byte(kept), &pairs) != nil {
		return nil
	}
	return pairs
}

func MetadataToColumn(pairs map[string]string) (string, error) {
	if len(pairs) == 0 {
		return "", nil
	}
	kept, err := json.Marshal(pairs)
	return string(kept), err
}

// IDsOutOfOrder is by how many ids a conversation may come after one that began
// later: other processes begin them at the same time.
const IDsOutOfOrder = 1_000

// ListConversations returns the conversations of the API that a list chooses, newest
// first.
func (s *Conversations) ListConversations(ctx context.Context, workspaceID, chatbotID string, list chat.List) ([]chat.Conversation, error) {
	ctx = scope.Workspace(ctx, workspaceID)
	where := []predicate.Conversation{conversation.ChatbotID(chatbotID), conversation.OriginNEQ(string(chat.Playground))}
	if list.ForEndUser {
		where = append(where, conversation.ExternalUserID(list.ExternalUserID))
	}
	if list.Status != "" {
		where = append(where, conversation.Status(list.Status))
	}
	if list.Before > 0 {
		where = append(where, conversation.IDLT(list.Before))
	}
	if !list.CreatedAfter.IsZero() {
		first, err := s.store.Client(ctx).Conversation.Query().Where(conversation.WorkspaceID(workspaceID), conversation.CreatedAtGT(list.CreatedAfter)).
			Order(conversation.ByCreatedAt(), conversation.ByID()).FirstID(ctx)
		if ent.IsNotFound(err) {
			return nil, nil
		}
		if err != nil {
			return nil, store.MapError(err)
		}
		// The ids are bounded as well, so that those from before need not be read.
		where = append(where, conversation.CreatedAtGT(list.CreatedAfter), conversation.IDGTE(first-IDsOutOfOrder))
	}
	rows, err := s.store.Client(ctx).Conversation.Query().Where(where...).Order(ent.Desc(conversation.FieldID)).Limit(list.Limit).All(ctx)
	if err != nil {
		return nil, store.MapError(err)
	}
	found := make([]chat.Conversation, len(rows))
	for i, row := range rows {
		found[i] = conversationFromRow(row)
	}
	return found, nil
}

// ChangeConversation stores the title and the metadata that change makes of those that
// are stored.
func (s *Conversations) ChangeConversation(ctx context.Context, workspaceID, chatbotID string, id int64, change func(*chat.Conversation) error) (changed chat.Conversation, err error) {
	err = s.store.InTx(scope.Workspace(ctx, workspaceID), func(ctx context.Context) error {
		db := s.store.Client(ctx)
		query := db.Conversation.Query().Where(conversation.ID(id), conversation.ChatbotID(chatbotID))
		if !s.store.IsSQLite() {
			query = query.ForUpdate()
		}
		row, err := query.Only(ctx)
		if err != nil {
			return store.MapError(err)
		}
		changed = conversationFromRow(row)
		if err := change(&changed); err != nil {
			return err
		}
		metadata, err := MetadataToColumn(changed.Metadata)
		if err != nil {
			return err
		}
		return store.MapError(store.Affected(db.Conversation.Update().Where(conversation.ID(id)).SetTitle(changed.Title).SetMetadata(metadata).Save(ctx)))
	})
	return changed, err
}
