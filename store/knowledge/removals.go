package knowledge

import (
	"context"
	"iter"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/system"
	ent "parley/ent/generated"
	"parley/ent/generated/conversation"
	"parley/ent/generated/message"
	"parley/ent/generated/predicate"
	"parley/ent/generated/removal"
	"parley/ent/scope"
	"parley/store"
)

// Removals keeps the receipts of removed documents.
type Removals struct{ store *store.Store }

// NewRemovals returns the removals of a database.
func NewRemovals(db *store.Store) *Removals { return &Removals{db} }

// CreateRemoval writes a receipt. There is one for a document.
func (s *Removals) CreateRemoval(ctx context.Context, workspaceID string, r knowledge.Removal) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Removal.Create().SetID(r.ID).SetWorkspaceID(workspaceID).SetChatbotID(r.ChatbotID).
			SetDocumentID(r.DocumentID).SetTitle(r.Title).SetURL(r.URL).SetContentHash(r.ContentHash).
			SetPassages(r.Passages).SetRequestedAt(r.RequestedAt).SetMessageIds([]int64{}).Exec(ctx)
	})
}

// ConfirmRemoval says when the index was found to hold nothing any more.
func (s *Removals) ConfirmRemoval(ctx context.Context, workspaceID, documentID string, at time.Time, answers int, messageIDs []int64) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Removal.Update().Where(removal.DocumentID(documentID), removal.ConfirmedAtIsNil()).
			SetConfirmedAt(at).SetAnswers(answers).SetMessageIds(idList(messageIDs)).Exec(ctx)
	})
}

// RemovalsToCount returns the receipts of every workspace whose answers have
// not been counted since they were confirmed, the earliest first.
func (s *Removals) RemovalsToCount(ctx context.Context, access system.Access, confirmedBefore time.Time, limit int) ([]knowledge.Removal, error) {
	rows, err := s.store.Client(ctx).Removal.Query().Where(removal.CountedAtIsNil(), removal.ConfirmedAtLT(confirmedBefore)).
		Order(removal.ByConfirmedAt(), removal.ByID()).Limit(limit).All(scope.System(ctx, access))
	return store.Mapped(rows, err, removalFromRow)
}

// CountRemoval writes the answers of a receipt as counted for good.
func (s *Removals) CountRemoval(ctx context.Context, workspaceID, removalID string, answers int, messageIDs []int64, at time.Time) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Removal.Update().Where(removal.ID(removalID)).
			SetAnswers(answers).SetMessageIds(idList(messageIDs)).SetCountedAt(at).Exec(ctx)
	})
}

// idList makes sure that a JSON column holds a list and not null.
func idList(values []int64) []int64 {
	if values == nil {
		return []int64{}
	}
	return values
}

// Removals returns a chatbot's receipts, the latest first.
func (s *Removals) Removals(ctx context.Context, workspaceID, chatbotID string, limit int) ([]knowledge.Removal, error) {
	rows, err := s.store.Client(ctx).Removal.Query().Where(removal.ChatbotID(chatbotID)).
		Order(removal.ByRequestedAt(entsql.OrderDesc()), removal.ByID()).Limit(limit).All(scope.Workspace(ctx, workspaceID))
	return store.Mapped(rows, err, removalFromRow)
}

// Removal returns one receipt of a chatbot.
func (s *Removals) Removal(ctx context.Context, workspaceID, chatbotID, removalID string) (knowledge.Removal, error) {
	return s.only(ctx, workspaceID, removal.ChatbotID(chatbotID), removal.ID(removalID))
}

// RemovalOf returns the receipt of a document.
func (s *Removals) RemovalOf(ctx context.Context, workspaceID, chatbotID, documentID string) (knowledge.Removal, error) {
	return s.only(ctx, workspaceID, removal.ChatbotID(chatbotID), removal.DocumentID(documentID))
}

func (s *Removals) only(ctx context.Context, workspaceID string, where ...predicate.Removal) (knowledge.Removal, error) {
	row, err := s.store.Client(ctx).Removal.Query().Where(where...).Only(scope.Workspace(ctx, workspaceID))
	if ent.IsNotFound(err) {
		return knowledge.Removal{}, fault.New(fault.NotFound, "Removal not found.")
	}
	return store.One(row, err, removalFromRow)
}

// RemovalsSince reads the receipts of every workspace since a time, by ID.
func (s *Removals) RemovalsSince(ctx context.Context, access system.Access, since time.Time) iter.Seq2[knowledge.Removal, error] {
	return store.InKeyOrder(scope.System(ctx, access), func(ctx context.Context, after string) ([]knowledge.Removal, error) {
		rows, err := s.store.Client(ctx).Removal.Query().Where(removal.IDGT(after), removal.Or(removal.RequestedAtGTE(since), removal.ConfirmedAtGTE(since))).
			Order(removal.ByID()).Limit(store.PortionRows).All(ctx)
		return store.Mapped(rows, err, removalFromRow)
	}, func(r knowledge.Removal) string { return r.ID })
}

// AnswersFrom counts the answers that were given a document, and returns the
// message IDs of the first.
func (s *Removals) AnswersFrom(ctx context.Context, workspaceID, chatbotID, documentID string, limit int) (int, []int64, error) {
	ctx = scope.Workspace(ctx, workspaceID)
	query := s.store.Client(ctx).Message.Query().Where(message.WorkspaceID(workspaceID), message.DocumentIdsContains(" "+documentID+" "),
		message.HasConversationWith(conversation.ChatbotID(chatbotID)))
	count, err := query.Clone().Count(ctx)
	if err != nil || count == 0 {
		return 0, nil, store.MapError(err)
	}
	ids, err := query.Order(message.ByID()).Limit(limit).IDs(ctx)
	return count, ids, store.MapError(err)
}

func removalFromRow(row *ent.Removal) knowledge.Removal {
	return knowledge.Removal{
		ID: row.ID, WorkspaceID: row.WorkspaceID, ChatbotID: row.ChatbotID, DocumentID: row.DocumentID, Title: row.Title,
		URL: row.URL, ContentHash: row.ContentHash, Passages: row.Passages, RequestedAt: row.RequestedAt.UTC(),
		ConfirmedAt: store.UTC(row.ConfirmedAt), Answers: row.Answers, MessageIDs: row.MessageIds,
	}
}

// TrimRemovals deletes, in every workspace that has more than limit receipts,
// the oldest of those that were counted for good.
func (s *Removals) TrimRemovals(ctx context.Context, access system.Access, limit int) error {
	ctx = scope.System(ctx, access)
	var all []inWorkspace
	counted := removal.CountedAtNotNil()
	err := s.store.Client(ctx).Removal.Query().Where(counted, moreThan(limit)).GroupBy(removal.FieldWorkspaceID).Aggregate(ent.Count()).Scan(ctx, &all)
	if err != nil {
		return store.MapError(err)
	}
	for _, w := range all {
		of := []predicate.Removal{counted, removal.WorkspaceID(w.WorkspaceID)}
		err := inParts(w.Count-limit, func(n int) error {
			ids, err := s.store.Client(ctx).Removal.Query().Where(of...).Order(removal.ByRequestedAt(), removal.ByID()).Limit(n).IDs(ctx)
			if err != nil {
				return store.MapError(err)
			}
			return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
				_, err := db.Removal.Delete().Where(removal.IDIn(ids...)).Exec(ctx)
				return err
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
