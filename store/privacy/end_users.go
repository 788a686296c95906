package privacy

import (
	"context"
	"encoding/json"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/chat"
	"parley/core/privacy"
	ent "parley/ent/generated"
	"parley/ent/generated/chatbot"
	"parley/ent/generated/conversation"
	"parley/ent/generated/feedback"
	"parley/ent/generated/gap"
	"parley/ent/generated/message"
	"parley/ent/generated/predicate"
	"parley/ent/generated/webhookmessage"
	"parley/ent/scope"
	"parley/store"
)

// EndUsers finds and erases what is stored of end users.
type EndUsers struct{ store *store.Store }

// NewEndUsers returns the end users of a database.
func NewEndUsers(db *store.Store) *EndUsers { return &EndUsers{db} }

var _ privacy.EndUserStore = (*EndUsers)(nil)

// ofTheirs selects the conversations of an end user, by the index of each chatbot.
const ofTheirs = `(SELECT id FROM conversations WHERE workspace_id = $1 AND external_user_id = $2
	AND chatbot_id IN (SELECT id FROM chatbots WHERE workspace_id = $1))`

const (
	countReferences = `SELECT COUNT(*) FROM usage_records WHERE workspace_id = $1
		AND message_id IN (SELECT id FROM messages WHERE conversation_id IN ` + ofTheirs + `)`
	// A record that names no message keeps its own number in the column, which is unique.
	dropReferences = `UPDATE usage_records SET conversation_id = 0, message_id = -id WHERE workspace_id = $1
		AND message_id IN (SELECT id FROM messages WHERE conversation_id IN ` + ofTheirs + `)`
	// askedByThem selects test questions that are word for word what an end user asked.
	askedByThem = ` FROM test_questions WHERE workspace_id = $1 AND EXISTS (SELECT 1 FROM messages m
		WHERE m.conversation_id IN ` + ofTheirs + ` AND m.role = 'user' AND m.content = test_questions.question)`
	countAsked  = `SELECT COUNT(*)` + askedByThem
	deleteAsked = `DELETE` + askedByThem
	// tellOthers has every server forget what it remembers of a workspace.
	tellOthers = `SELECT pg_notify('` + store.AccessChannel + `', $1)`
)

// bots returns the chatbots of a workspace.
func (s *EndUsers) bots(ctx context.Context, workspaceID string) ([]string, error) {
	return s.store.Client(ctx).Chatbot.Query().Where(chatbot.WorkspaceID(workspaceID)).IDs(ctx)
}

// theirs selects the conversations with a name.
func theirs(bots []string, name string) []predicate.Conversation {
	return []predicate.Conversation{conversation.ChatbotIDIn(bots...), conversation.ExternalUserID(name)}
}

// TakeEndUser gives the conversations of an end user another name, takes the references to
// them out of usage records, and deletes the events that name them.
func (s *EndUsers) TakeEndUser(ctx context.Context, workspaceID, externalUserID, name string) (counts privacy.Counts, err error) {
	err = s.store.InTx(store.Background(scope.Workspace(ctx, workspaceID)), func(ctx context.Context) error {
		if counts, err = s.counted(ctx, workspaceID, externalUserID); err != nil {
			return store.MapError(err)
		}
		if err := s.countTraces(ctx, workspaceID, externalUserID, counts); err != nil {
			return store.MapError(err)
		}
		db := s.store.Client(ctx)
		if _, err := s.store.Raw(ctx).ExecContext(ctx, deleteAsked, workspaceID, externalUserID); err != nil {
			return store.MapError(err)
		}
		if _, err := s.store.Raw(ctx).ExecContext(ctx, dropReferences, workspaceID, externalUserID); err != nil {
			return store.MapError(err)
		}
		if _, err := db.WebhookMessage.Delete().Where(naming(workspaceID, externalUserID)...).Exec(ctx); err != nil {
			return store.MapError(err)
		}
		bots, err := s.bots(ctx, workspaceID)
		if err != nil {
			return store.MapError(err)
		}
		if err := db.Conversation.Update().Where(theirs(bots, externalUserID)...).SetExternalUserID(name).SetTitle("").SetMetadata("").Exec(ctx); err != nil {
			return store.MapError(err)
		}
		if s.store.IsSQLite() {
			return nil
		}
		_, err = s.store.Raw(ctx).ExecContext(ctx, tellOthers, workspaceID)
		return store.MapError(err)
	})
	return counts, err
}

// naming selects the events of a workspace that name an end user.
func naming(workspaceID, externalUserID string) []predicate.WebhookMessage {
	written, _ := json.Marshal(externalUserID) // never fails for a text
	return []predicate.WebhookMessage{webhookmessage.WorkspaceID(workspaceID), webhookmessage.PayloadContains(`"external_user_id":` + string(written))}
}

// counted counts what hangs on the conversations with a name.
func (s *EndUsers) counted(ctx context.Context, workspaceID, name string) (privacy.Counts, error) {
	ctx = scope.Workspace(ctx, workspaceID)
	bots, err := s.bots(ctx, workspaceID)
	if err != nil {
		return nil, err
	}
	db, counts := s.store.Client(ctx), privacy.Counts{}
	ids, err := db.Conversation.Query().Where(theirs(bots, name)...).IDs(ctx)
	if err != nil {
		return nil, err
	}
	counts["conversations"] = int64(len(ids))
	for kind, count := range map[string]func(ids []int64) (int, error){
		"messages": func(ids []int64) (int, error) {
			return db.Message.Query().Where(message.ConversationIDIn(ids...)).Count(ctx)
		},
		"idempotency_keys": func(ids []int64) (int, error) {
			return s.countKeys(ctx, workspaceID, ids)
		},
		"feedbacks": func(ids []int64) (int, error) {
			return db.Feedback.Query().Where(feedback.ConversationIDIn(ids...)).Count(ctx)
		},
		"gaps": func(ids []int64) (int, error) { return db.Gap.Query().Where(gap.ConversationIDIn(ids...)).Count(ctx) },
	} {
		counts[kind] = 0
		err := store.InBatches(ids, store.BatchRows, func(batch []int64) error {
			n, err := count(batch)
			counts[kind] += int64(n)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	var references int64
	if err := store.ScanOne(ctx, s.store.Raw(ctx), []any{&references}, countReferences, workspaceID, name); err != nil {
		return nil, err
	}
	counts["usage_record_references"] = references
	n, err := db.WebhookMessage.Query().Where(naming(workspaceID, name)...).Count(ctx)
	counts["webhook_messages"] = int64(n)
	return counts, err
}

// countTraces adds what is found by texts only while those are there.
func (s *EndUsers) countTraces(ctx context.Context, workspaceID, name string, counts privacy.Counts) error {
	ctx = scope.Workspace(ctx, workspaceID)
	var asked int64
	if err := store.ScanOne(ctx, s.store.Raw(ctx), []any{&asked}, countAsked, workspaceID, name); err != nil {
		return err
	}
	counts["test_questions"] = asked
	n, err := s.cached(ctx, workspaceID)
	counts["cached_answers"] = n
	return err
}

const (
	ofTheWorkspace = ` FROM cached_answers WHERE workspace_id = $1 AND chatbot_id IN (SELECT id FROM chatbots WHERE workspace_id = $1)`
	countCached    = `SELECT COUNT(*)` + ofTheWorkspace
	forgetCached   = `DELETE` + ofTheWorkspace
	countKeys      = `SELECT COUNT(*) FROM idempotency_keys WHERE workspace_id = $1 AND conversation_id IN `
)

func (s *EndUsers) cached(ctx context.Context, workspaceID string) (n int64, err error) {
	return n, store.ScanOne(ctx, s.store.Raw(ctx), []any{&n}, countCached, workspaceID)
}

// countKeys counts the idempotency keys of some conversations, at least one.
func (s *EndUsers) countKeys(ctx context.Context, workspaceID string, conversationIDs []int64) (n int, err error) {
	args := append([]any{workspaceID}, store.Column(conversationIDs, func(id *int64) any { return *id })...)
	return n, store.ScanOne(ctx, s.store.Raw(ctx), []any{&n}, countKeys+store.Placeholders(2, len(conversationIDs)), args...)
}

// EraseTaken deletes up to limit conversations with a name, and reports whether there may
// be more that can be deleted now.
func (s *EndUsers) EraseTaken(ctx context.Context, workspaceID, name string, limit int) (more bool, err error) {
	err = s.store.InTx(store.Background(scope.Workspace(ctx, workspaceID)), func(ctx context.Context) error {
		db := s.store.Client(ctx)
		bots, err := s.bots(ctx, workspaceID)
		if err != nil {
			return store.MapError(err)
		}
		query := db.Conversation.Query().Where(theirs(bots, name)...).
			Where(noneGenerating).Order(conversation.ByID()).Limit(limit)
		if !s.store.IsSQLite() {
			query = query.ForUpdate()
		}
		ids, err := query.IDs(ctx)
		if err != nil || len(ids) == 0 {
			return store.MapError(err)
		}
		more = len(ids) == limit
		// What was asked after the end user was taken is not in what was counted then.
		if _, err := s.store.Raw(ctx).ExecContext(ctx, dropReferences, workspaceID, name); err != nil {
			return store.MapError(err)
		}
		return store.MapError(deleteTaken(ctx, db, ids))
	})
	return more, err
}

// noneGenerating selects conversations in which no answer is being generated.
func noneGenerating(s *entsql.Selector) {
	messages := entsql.Table(message.Table)
	s.Where(entsql.NotExists(entsql.Select(messages.C(message.FieldID)).From(messages).Where(entsql.And(
		entsql.ColumnsEQ(messages.C(message.FieldConversationID), s.C(conversation.FieldID)),
		entsql.EQ(messages.C(message.FieldStatus), string(chat.Generating))))))
}

// deleteTaken deletes conversations with what belongs to them and has no edge to them.
func deleteTaken(ctx context.Context, db *ent.Client, ids []int64) error {
	if _, err := db.Feedback.Delete().Where(feedback.ConversationIDIn(ids...)).Exec(ctx); err != nil {
		return err
	}
	if _, err := db.Gap.Delete().Where(gap.ConversationIDIn(ids...)).Exec(ctx); err != nil {
		return err
	}
	_, err := db.Conversation.Delete().Where(conversation.IDIn(ids...)).Exec(ctx)
	return err
}

// CountTaken forgets all cached answers of a workspace, of which nobody knows who asked for
// them, and counts what is left of what had a name.
func (s *EndUsers) CountTaken(ctx context.Context, workspaceID, name string) (counts privacy.Counts, err error) {
	err = s.store.InTx(store.Background(scope.Workspace(ctx, workspaceID)), func(ctx context.Context) error {
		db := s.store.Client(ctx)
		if err := s.store.Run(ctx, forgetCached, workspaceID); err != nil {
			return err
		}
		if _, err := db.WebhookMessage.Delete().Where(naming(workspaceID, name)...).Exec(ctx); err != nil {
			return store.MapError(err)
		}
		if counts, err = s.counted(ctx, workspaceID, name); err != nil {
			return store.MapError(err)
		}
		n, err := s.cached(ctx, workspaceID)
		counts["cached_answers"], counts["test_questions"] = n, 0
		return store.MapError(err)
	})
	return counts, err
}
