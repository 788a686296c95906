// Package knowledge keeps what chatbots answer from: sources, documents, passages, what is
// computed of them, and their removal.
package knowledge

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/system"
	ent "parley/ent/generated"
	"parley/ent/generated/document"
	"parley/ent/generated/predicate"
	"parley/ent/scope"
	"parley/store"
)

// Documents keeps documents.
type Documents struct{ store *store.Store }

// NewDocuments returns the documents of a database.
func NewDocuments(db *store.Store) *Documents { return &Documents{db} }

// CreateDocument adds a document without passages.
func (s *Documents) CreateDocument(ctx context.Context, workspaceID string, d knowledge.Document) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return NewDocumentRow(db, workspaceID, d).Exec(ctx)
	})
}

func NewDocumentRow(db *ent.Client, workspaceID string, d knowledge.Document) *ent.DocumentCreate {
	return db.Document.Create().SetID(d.ID).SetWorkspaceID(workspaceID).SetChatbotID(d.ChatbotID).
		SetSourceID(d.SourceID).SetExternalID(d.ExternalID).SetURL(d.URL).SetDepth(d.Depth).SetTitle(d.Title).SetSearchText(searchText(d)).SetKind(string(d.Kind)).
		SetState(string(d.State)).SetContent(d.Content).SetBytes(len(d.Content)).SetInputHash(d.InputHash).SetContentHash(d.ContentHash).
		SetChars(d.Chars).SetBegun(d.Begun).SetNillableDueAt(d.DueAt).SetUpdatedAt(d.UpdatedAt).SetCreatedAt(d.CreatedAt)
}

var settled = document.StateIn(string(knowledge.Ready), string(knowledge.Failed))

// Document returns one document with its content.
func (s *Documents) Document(ctx context.Context, workspaceID, chatbotID, documentID string) (knowledge.Document, error) {
	row, err := s.store.Client(ctx).Document.Query().
		Where(document.ID(documentID), document.ChatbotID(chatbotID)).Only(scope.Workspace(ctx, workspaceID))
	if ent.IsNotFound(err) {
		return knowledge.Document{}, fault.New(fault.NotFound, "Document not found.")
	}
	return store.One(row, err, documentFromRow)
}

// listed are the columns of a document in a list: all but the long ones, and those
// that are for the database alone.
var listed = without(document.Columns, document.FieldContent, document.FieldPlaces, document.FieldBytes, document.FieldSearchText)

func without(columns []string, others ...string) []string {
	return slices.DeleteFunc(slices.Clone(columns), func(column string) bool { return slices.Contains(others, column) })
}

// searchChars is how much of a document's title and address is searched, in
// characters. A title has 200 at most, and PostgreSQL has no room for more than 2,700
// bytes in a row of an index.
const searchChars = 500

// searchText is what a search of documents looks through, in lower case. It is in the
// index of the list, so that a search reads no texts. What was there before it was kept
// got it by a migration, in which a database may have left letters beyond ASCII as they
// were.
func searchText(d knowledge.Document) string {
	text := strings.ToLower(d.Title + "\n" + d.URL)
	n := 0
	for at := range text {
		if n == searchChars {
			return text[:at]
		}
		n++
	}
	return text
}

// Documents returns a chatbot's documents without contents, oldest first.
func (s *Documents) Documents(ctx context.Context, workspaceID, chatbotID string) ([]knowledge.Document, error) {
	return listDocuments(scope.Workspace(ctx, workspaceID), s.store.Client(ctx).Document.Query().Where(document.ChatbotID(chatbotID)))
}

// AllDocuments reads the documents of every workspace by ID, without contents.
func (s *Documents) AllDocuments(ctx context.Context, access system.Access) iter.Seq2[knowledge.Document, error] {
	return s.everywhere(ctx, access)
}

// ChangedDocuments reads the documents of every workspace that changed since
// a time, and all that are being indexed.
func (s *Documents) ChangedDocuments(ctx context.Context, access system.Access, since time.Time) iter.Seq2[knowledge.Document, error] {
	return s.everywhere(ctx, access, document.Or(document.UpdatedAtGTE(since), document.State(string(knowledge.Indexing))))
}

func (s *Documents) everywhere(ctx context.Context, access system.Access, where ...predicate.Document) iter.Seq2[knowledge.Document, error] {
	return store.InKeyOrder(scope.System(ctx, access), func(ctx context.Context, after string) ([]knowledge.Document, error) {
		var rows []*ent.Document
		err := s.store.Client(ctx).Document.Query().Where(where...).Where(document.IDGT(after)).
			Order(document.ByID()).Limit(store.PortionRows).Select(listed...).Scan(ctx, &rows)
		return store.Mapped(rows, err, documentFromRow)
	}, func(d knowledge.Document) string { return d.ID })
}

func listDocuments(ctx context.Context, query *ent.DocumentQuery) ([]knowledge.Document, error) {
	var rows []*ent.Document
	err := query.Order(document.ByCreatedAt(), document.ByID()).Select(listed...).Scan(ctx, &rows)
	return store.Mapped(rows, err, documentFromRow)
}

// DocumentByInput finds a document that is not being removed.
func (s *Documents) DocumentByInput(ctx context.Context, workspaceID, chatbotID, inputHash string) (knowledge.Document, error) {
	row, err := s.store.Client(ctx).Document.Query().Where(document.ChatbotID(chatbotID), document.InputHash(inputHash),
		document.StateNEQ(string(knowledge.Removing))).First(scope.Workspace(ctx, workspaceID))
	return store.One(row, err, documentFromRow)
}

// DocumentByExternalID finds a document that is not being removed.
func (s *Documents) DocumentByExternalID(ctx context.Context, workspaceID, chatbotID, externalID string) (knowledge.Document, error) {
	row, err := s.store.Client(ctx).Document.Query().Where(document.ChatbotID(chatbotID), document.ExternalIDNEQ(""), document.ExternalID(externalID),
		document.StateNEQ(string(knowledge.Removing))).Only(scope.Workspace(ctx, workspaceID))
	return store.One(row, err, documentFromRow)
}

// ReleaseExternalID takes an external ID from a document that is being removed,
// which cannot be brought back any more then.
func (s *Documents) ReleaseExternalID(ctx context.Context, workspaceID, chatbotID, externalID string) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Document.Update().Where(document.ChatbotID(chatbotID), document.ExternalIDNEQ(""), document.ExternalID(externalID),
			document.State(string(knowledge.Removing))).SetExternalID("").SetUndoState("").SetLive(0).Exec(ctx)
	})
}

// UpdateDocument writes all columns that may change, if the document is in the
// state from and has no later version. A new content must be of a later
// version: of two writers that have read the same one, only the first stores
// it.
func (s *Documents) UpdateDocument(ctx context.Context, workspaceID string, from knowledge.State, d knowledge.Document, withContent bool) error {
	places, err := json.Marshal(d.Places)
	if err != nil {
		return err
	}
	notes, err := notesToRow(d.Notes)
	if err != nil {
		return err
	}
	current := document.VersionLTE(d.Version)
	if withContent {
		current = document.VersionLT(d.Version)
	}
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		update := db.Document.Update().Where(document.ID(d.ID), document.State(string(from)), current).
			SetURL(d.URL).SetTitle(d.Title).SetSearchText(searchText(d)).SetKind(string(d.Kind)).SetInputHash(d.InputHash).SetState(string(d.State)).SetReason(d.Reason).
			SetNotes(notes).SetReaderVersion(d.ReaderVersion).SetOriginal(string(d.Original)).SetContentHash(d.ContentHash).SetChars(d.Chars).SetPassageCount(d.Passages).SetIndexed(d.Indexed).
			SetVersion(d.Version).SetLive(d.Live).SetAttempts(d.Attempts).SetBegun(d.Begun).SetEtag(d.ETag).SetLastModified(d.LastModified).
			SetUpdatedAt(d.UpdatedAt).SetNillableFetchedAt(d.FetchedAt)
		if d.DueAt != nil {
			update.SetDueAt(*d.DueAt)
		} else {
			update.ClearDueAt()
		}
		if withContent {
			update.SetContent(d.Content).SetBytes(len(d.Content)).SetPlaces(string(places))
		}
		return store.Affected(update.Save(ctx))
	})
}

// SetIndexed writes how far the indexing has come.
func (s *Documents) SetIndexed(ctx context.Context, workspaceID, documentID string, indexed int) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Document.Update().Where(document.ID(documentID)).SetIndexed(indexed).Exec(ctx)
	})
}

// MarkRemoving takes a document out of every answer.
func (s *Documents) MarkRemoving(ctx context.Context, workspaceID, documentID string, now time.Time) error {
	return s.store.InTx(ctx, func(ctx context.Context) error {
		err := store.Affected(s.store.Client(ctx).Document.Update().Where(document.ID(documentID)).SetState(string(knowledge.Removing)).
			SetUndoState("").SetExternalID("").SetReason("").SetLive(0).SetAttempts(0).SetDueAt(now).SetUpdatedAt(now).Save(scope.Workspace(ctx, workspaceID)))
		if err != nil {
			return store.MapError(err)
		}
		return forgetAnswers(ctx, s.store, forgetByDocument, workspaceID, documentID)
	})
}

// SetBegun sets how many attempts began and did not end.
func (s *Documents) SetBegun(ctx context.Context, workspaceID, documentID string, from, to int) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.Document.Update().Where(document.ID(documentID), document.Begun(from)).SetBegun(to).Save(ctx))
	})
}

// SetBegunOf sets how many attempts at documents began and did not end, of those that are from.
func (s *Documents) SetBegunOf(ctx context.Context, workspaceID string, documentIDs []string, from, to int) error {
	return store.InBatches(documentIDs, store.BatchRows, func(ids []string) error {
		return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
			return db.Document.Update().Where(document.IDIn(ids...), document.Begun(from)).SetBegun(to).Exec(ctx)
		})
	})
}

// PostponeRemoval says when a removing document is tried again.
func (s *Documents) PostponeRemoval(ctx context.Context, workspaceID, documentID string, attempts int, due time.Time) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Document.Update().Where(document.ID(documentID)).SetAttempts(attempts).SetDueAt(due).Exec(ctx)
	})
}

// MarkReindex has a chatbot's settled documents that have a content split and
// indexed again.
func (s *Documents) MarkReindex(ctx context.Context, workspaceID, chatbotID string, now time.Time) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Document.Update().Where(document.ChatbotID(chatbotID), settled, document.VersionGT(0), document.BytesGT(0)).
			SetState(string(knowledge.Indexing)).SetContentHash("").SetReason("").SetAttempts(0).
			SetDueAt(now).SetUpdatedAt(now).Exec(ctx)
	})
}

// DeleteDocument removes a document with its passages, if it is there.
func (s *Documents) DeleteDocument(ctx context.Context, workspaceID, documentID string) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		_, err := db.Document.Delete().Where(document.ID(documentID)).Exec(ctx)
		return err
	})
}

func documentFromRow(row *ent.Document) knowledge.Document {
	d := knowledge.Document{
		ID: row.ID, WorkspaceID: row.WorkspaceID, ChatbotID: row.ChatbotID, SourceID: row.SourceID, ExternalID: row.ExternalID, URL: row.URL,
		Depth: row.Depth, Title: row.Title, Kind: knowledge.Kind(row.Kind), State: knowledge.State(row.State),
		Reason: row.Reason, Content: row.Content, InputHash: row.InputHash, ContentHash: row.ContentHash,
		ReaderVersion: row.ReaderVersion, Original: knowledge.OriginalState(row.Original), Chars: row.Chars, Passages: row.PassageCount, Indexed: row.Indexed, Version: row.Version, Live: max(row.Live, 0),
		Attempts: row.Attempts, Begun: row.Begun, DueAt: store.UTC(row.DueAt), ETag: row.Etag, LastModified: row.LastModified,
		FetchedAt: store.UTC(row.FetchedAt), UpdatedAt: row.UpdatedAt.UTC(), CreatedAt: row.CreatedAt.UTC(),
	}
	if row.UndoState != "" {
		d.Undo = knowledge.Undo{State: knowledge.State(row.UndoState), Live: -row.Live - 1}
	}
	_ = json.Unmarshal([]byte(row.Places), &d.Places) // written here only, or empty
	_ = json.Unmarshal([]byte(row.Notes), &d.Notes)
	return d
}

// notesToRow returns notes as JSON, or nothing for none.
func notesToRow(notes []knowledge.Note) (string, error) {
	if len(notes) == 0 {
		return "", nil
	}
	text, err := json.Marshal(notes)
	return string(text), err
}
