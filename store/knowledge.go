package store

import (
	"context"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/ent"
	"parley/ent/document"
	"parley/ent/passage"
	"parley/ent/scope"
)

// passageBatch keeps a statement's parameters under the databases' limits.
const passageBatch = 500

// CreateDocument adds a document and its passages.
func (s *Store) CreateDocument(ctx context.Context, workspaceID string, d knowledge.Document, passages []knowledge.Passage) error {
	return s.InTx(within(ctx, workspaceID), func(ctx context.Context) error {
		err := s.db(ctx).Document.Create().SetID(d.ID).SetWorkspaceID(workspaceID).SetChatbotID(d.ChatbotID).
			SetTitle(d.Title).SetKind(string(d.Kind)).SetState(string(d.State)).SetContent(d.Content).
			SetContentHash(d.ContentHash).SetChars(d.Chars).SetPassageCount(len(passages)).
			SetCreatedAt(d.CreatedAt).Exec(ctx)
		if err != nil {
			return err
		}
		return s.createPassages(ctx, d, passages)
	})
}

func (s *Store) createPassages(ctx context.Context, d knowledge.Document, passages []knowledge.Passage) error {
	db := s.db(ctx)
	for len(passages) > 0 {
		batch := passages[:min(passageBatch, len(passages))]
		passages = passages[len(batch):]
		rows := make([]*ent.PassageCreate, len(batch))
		for i, p := range batch {
			rows[i] = db.Passage.Create().SetWorkspaceID(d.WorkspaceID).SetChatbotID(d.ChatbotID).SetDocumentID(d.ID).
				SetOrdinal(p.Ordinal).SetTitle(p.Title).SetHeadingPath(list(p.HeadingPath)).SetText(p.Text)
		}
		if err := db.Passage.CreateBulk(rows...).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Document returns one document with its content.
func (s *Store) Document(ctx context.Context, workspaceID, chatbotID, documentID string) (knowledge.Document, error) {
	row, err := s.db(ctx).Document.Query().
		Where(document.ID(documentID), document.ChatbotID(chatbotID)).Only(within(ctx, workspaceID))
	if ent.IsNotFound(err) {
		return knowledge.Document{}, fault.New(fault.NotFound, "Document not found.")
	}
	return one(row, err, toDocument)
}

// listed are the columns of a document in a list: all but the content.
var listed = []string{
	document.FieldID, document.FieldWorkspaceID, document.FieldChatbotID, document.FieldTitle, document.FieldKind,
	document.FieldState, document.FieldReason, document.FieldContentHash, document.FieldChars,
	document.FieldPassageCount, document.FieldCreatedAt,
}

// Documents returns a chatbot's documents without contents, oldest first.
func (s *Store) Documents(ctx context.Context, workspaceID, chatbotID string) ([]knowledge.Document, error) {
	var rows []*ent.Document
	err := s.db(ctx).Document.Query().Where(document.ChatbotID(chatbotID)).
		Order(document.ByCreatedAt(), document.ByID()).Select(listed...).Scan(within(ctx, workspaceID), &rows)
	return mapped(rows, err, toDocument)
}

// DocumentByHash finds a document that is not being removed.
func (s *Store) DocumentByHash(ctx context.Context, workspaceID, chatbotID, contentHash string) (knowledge.Document, error) {
	row, err := s.db(ctx).Document.Query().Where(document.ChatbotID(chatbotID), document.ContentHash(contentHash),
		document.StateNEQ(string(knowledge.Removing))).First(within(ctx, workspaceID))
	return one(row, err, toDocument)
}

// SetDocumentState moves a document to a state.
func (s *Store) SetDocumentState(ctx context.Context, workspaceID, documentID string, state knowledge.State, reason string) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		// Removing is final: an indexing that ends late must not undo it.
		return affected(db.Document.Update().Where(document.ID(documentID), document.Or(
			document.StateNEQ(string(knowledge.Removing)), document.State(string(state)))).
			SetState(string(state)).SetReason(reason).Save(ctx))
	})
}

// DeleteDocument removes a document with its passages, if it is there.
func (s *Store) DeleteDocument(ctx context.Context, workspaceID, documentID string) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		_, err := db.Document.Delete().Where(document.ID(documentID)).Exec(ctx)
		return err
	})
}

// UnsettledDocuments returns pending and removing documents of every
// workspace that were created before the given time.
func (s *Store) UnsettledDocuments(ctx context.Context, before time.Time) ([]knowledge.Document, error) {
	var rows []*ent.Document
	err := s.db(ctx).Document.Query().
		Where(document.StateIn(string(knowledge.Pending), string(knowledge.Removing)), document.CreatedAtLTE(before)).
		Order(document.ByCreatedAt()).Select(listed...).Scan(scope.System(ctx), &rows)
	return mapped(rows, err, toDocument)
}

// AllDocuments returns the documents of every workspace, without contents.
func (s *Store) AllDocuments(ctx context.Context) ([]knowledge.Document, error) {
	var rows []*ent.Document
	err := s.db(ctx).Document.Query().Order(document.ByCreatedAt()).Select(listed...).Scan(scope.System(ctx), &rows)
	return mapped(rows, err, toDocument)
}

// KnowledgeChars is the length of all documents of a workspace.
func (s *Store) KnowledgeChars(ctx context.Context, workspaceID string) (int, error) {
	var sums []struct{ Sum *int }
	err := s.db(ctx).Document.Query().Where(document.WorkspaceID(workspaceID)).
		Aggregate(ent.As(ent.Sum(document.FieldChars), "sum")).Scan(within(ctx, workspaceID), &sums)
	if err != nil {
		return 0, mapError(err)
	}
	if len(sums) == 0 || sums[0].Sum == nil {
		return 0, nil
	}
	return *sums[0].Sum, nil
}

// Passages returns a document's passages in order.
func (s *Store) Passages(ctx context.Context, workspaceID, documentID string) ([]knowledge.Passage, error) {
	rows, err := s.db(ctx).Passage.Query().Where(passage.DocumentID(documentID)).
		Order(passage.ByOrdinal()).All(within(ctx, workspaceID))
	return mapped(rows, err, toPassage)
}

// ReplacePassages gives a document new passages and its state.
func (s *Store) ReplacePassages(ctx context.Context, workspaceID string, d knowledge.Document, passages []knowledge.Passage) error {
	return s.InTx(within(ctx, workspaceID), func(ctx context.Context) error {
		db := s.db(ctx)
		if _, err := db.Passage.Delete().Where(passage.DocumentID(d.ID)).Exec(ctx); err != nil {
			return err
		}
		err := affected(db.Document.Update().Where(document.ID(d.ID), document.StateNEQ(string(knowledge.Removing))).
			SetState(string(d.State)).SetPassageCount(len(passages)).Save(ctx))
		if err != nil {
			return err
		}
		return s.createPassages(ctx, d, passages)
	})
}

func toDocument(row *ent.Document) knowledge.Document {
	return knowledge.Document{
		ID: row.ID, WorkspaceID: row.WorkspaceID, ChatbotID: row.ChatbotID, Title: row.Title,
		Kind: knowledge.Kind(row.Kind), State: knowledge.State(row.State), Reason: row.Reason, Content: row.Content,
		ContentHash: row.ContentHash, Chars: row.Chars, Passages: row.PassageCount, CreatedAt: row.CreatedAt.UTC(),
	}
}

func toPassage(row *ent.Passage) knowledge.Passage {
	return knowledge.Passage{
		ID: row.ID, DocumentID: row.DocumentID, Ordinal: row.Ordinal, Title: row.Title,
		HeadingPath: row.HeadingPath, Text: row.Text,
	}
}
