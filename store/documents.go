package store

import (
	"context"
	"encoding/json"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/ent"
	"parley/ent/document"
	"parley/ent/predicate"
	"parley/ent/scope"
	"parley/ent/upload"
)

// CreateDocument adds a document without passages.
func (s *Store) CreateDocument(ctx context.Context, workspaceID string, d knowledge.Document) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return newDocument(db, workspaceID, d).Exec(ctx)
	})
}

func newDocument(db *ent.Client, workspaceID string, d knowledge.Document) *ent.DocumentCreate {
	return db.Document.Create().SetID(d.ID).SetWorkspaceID(workspaceID).SetChatbotID(d.ChatbotID).
		SetSourceID(d.SourceID).SetURL(d.URL).SetDepth(d.Depth).SetTitle(d.Title).SetKind(string(d.Kind)).
		SetState(string(d.State)).SetContent(d.Content).SetInputHash(d.InputHash).SetContentHash(d.ContentHash).
		SetChars(d.Chars).SetNillableDueAt(d.DueAt).SetUpdatedAt(d.UpdatedAt).SetCreatedAt(d.CreatedAt)
}

// CreateFound adds those documents of a source whose addresses it lacks, until
// it has limit of them, or room of them were added.
func (s *Store) CreateFound(ctx context.Context, workspaceID string, source knowledge.Source, found []knowledge.Document, limit, room int) (added int, err error) {
	err = s.InTx(within(ctx, workspaceID), func(ctx context.Context) error {
		urls, err := s.db(ctx).Document.Query().Where(document.SourceID(source.ID)).Select(document.FieldURL).Strings(ctx)
		if err != nil {
			return err
		}
		known := make(map[string]bool, len(urls))
		for _, url := range urls {
			known[url] = true
		}
		var rows []*ent.DocumentCreate
		for _, d := range found {
			if known[d.URL] || len(urls)+len(rows) >= limit || len(rows) >= room {
				continue
			}
			known[d.URL] = true
			rows = append(rows, newDocument(s.db(ctx), workspaceID, d))
		}
		added = len(rows)
		return inBatches(rows, documentBatch, func(batch []*ent.DocumentCreate) error {
			return s.db(ctx).Document.CreateBulk(batch...).Exec(ctx)
		})
	})
	return added, err
}

// RefreshFound has all settled documents of a source fetched again.
func (s *Store) RefreshFound(ctx context.Context, workspaceID, sourceID string, now time.Time) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Document.Update().Where(document.SourceID(sourceID), settled).
			SetState(string(knowledge.Pending)).SetReason("").SetAttempts(0).SetDueAt(now).SetUpdatedAt(now).Exec(ctx)
	})
}

var settled = document.StateIn(string(knowledge.Ready), string(knowledge.Failed))

// CreateUpload keeps the file of a document until its text is extracted.
func (s *Store) CreateUpload(ctx context.Context, workspaceID, documentID string, u knowledge.Upload) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Upload.Create().SetWorkspaceID(workspaceID).SetDocumentID(documentID).
			SetName(u.Name).SetContentType(u.ContentType).SetBody(u.Body).Exec(ctx)
	})
}

// Upload returns the file of a document.
func (s *Store) Upload(ctx context.Context, workspaceID, documentID string) (knowledge.Upload, error) {
	row, err := s.db(ctx).Upload.Query().Where(upload.DocumentID(documentID)).First(within(ctx, workspaceID))
	return one(row, err, func(row *ent.Upload) knowledge.Upload {
		return knowledge.Upload{Name: row.Name, ContentType: row.ContentType, Body: row.Body}
	})
}

// DeleteUpload removes the file of a document, if it is there.
func (s *Store) DeleteUpload(ctx context.Context, workspaceID, documentID string) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		_, err := db.Upload.Delete().Where(upload.DocumentID(documentID)).Exec(ctx)
		return err
	})
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

// listed are the columns of a document in a list: all but what is long.
var listed = without(document.Columns, document.FieldContent, document.FieldPlaces)

func without(columns []string, long ...string) []string {
	var kept []string
	for _, column := range columns {
		if column != long[0] && column != long[1] {
			kept = append(kept, column)
		}
	}
	return kept
}

// Documents returns a chatbot's documents without contents, oldest first.
func (s *Store) Documents(ctx context.Context, workspaceID, chatbotID string) ([]knowledge.Document, error) {
	return s.listDocuments(within(ctx, workspaceID), s.db(ctx).Document.Query().Where(document.ChatbotID(chatbotID)))
}

// SourceDocuments returns a source's documents without contents.
func (s *Store) SourceDocuments(ctx context.Context, workspaceID, sourceID string) ([]knowledge.Document, error) {
	return s.listDocuments(within(ctx, workspaceID), s.db(ctx).Document.Query().Where(document.SourceID(sourceID)))
}

// AllDocuments returns the documents of every workspace, without contents.
func (s *Store) AllDocuments(ctx context.Context) ([]knowledge.Document, error) {
	return s.listDocuments(scope.System(ctx), s.db(ctx).Document.Query())
}

// ChangedDocuments returns those of every workspace that changed since a time,
// and all that are being indexed.
func (s *Store) ChangedDocuments(ctx context.Context, since time.Time) ([]knowledge.Document, error) {
	return s.listDocuments(scope.System(ctx), s.db(ctx).Document.Query().Where(
		document.Or(document.UpdatedAtGTE(since), document.State(string(knowledge.Indexing)))))
}

func (s *Store) listDocuments(ctx context.Context, query *ent.DocumentQuery) ([]knowledge.Document, error) {
	var rows []*ent.Document
	err := query.Order(document.ByCreatedAt(), document.ByID()).Select(listed...).Scan(ctx, &rows)
	return mapped(rows, err, toDocument)
}

// DocumentByInput finds a document that is not being removed.
func (s *Store) DocumentByInput(ctx context.Context, workspaceID, chatbotID, inputHash string) (knowledge.Document, error) {
	row, err := s.db(ctx).Document.Query().Where(document.ChatbotID(chatbotID), document.InputHash(inputHash),
		document.StateNEQ(string(knowledge.Removing))).First(within(ctx, workspaceID))
	return one(row, err, toDocument)
}

// DueDocument returns the document that a kind of work goes on with: what is to
// be removed, then what has no address, then pages, but for those of the sources
// in skip.
func (s *Store) DueDocument(ctx context.Context, workspaceID, work string, now time.Time, skip []string) (knowledge.Document, error) {
	row, err := s.db(ctx).Document.Query().
		Where(document.WorkspaceID(workspaceID), document.DueAtLTE(now), dueFor(work), document.SourceIDNotIn(skip...)).
		Order(func(q *entsql.Selector) {
			q.OrderExpr(entsql.Expr("CASE WHEN state = 'removing' THEN 0 WHEN url = '' THEN 1 ELSE 2 END"))
		}, document.ByDueAt(), document.ByID()).First(within(ctx, workspaceID))
	return one(row, err, toDocument)
}

var indexed = document.StateIn(string(knowledge.Indexing), string(knowledge.Removing))

// dueFor says which documents a kind of work is about: see workOf.
func dueFor(work string) predicate.Document {
	switch work {
	case knowledge.IndexWork:
		return indexed
	case knowledge.FetchWork:
		return document.And(document.Not(indexed), document.URLNEQ(""))
	}
	return document.And(document.Not(indexed), document.URL(""))
}

// UpdateDocument writes all columns that change, if the document is in the
// state from and has no later version. A new content must be a later one: of
// two who have read the same, one stores it.
func (s *Store) UpdateDocument(ctx context.Context, workspaceID string, from knowledge.State, d knowledge.Document, withContent bool) error {
	places, err := json.Marshal(d.Places)
	if err != nil {
		return err
	}
	current := document.VersionLTE(d.Version)
	if withContent {
		current = document.VersionLT(d.Version)
	}
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		update := db.Document.Update().Where(document.ID(d.ID), document.State(string(from)), current).
			SetTitle(d.Title).SetKind(string(d.Kind)).SetState(string(d.State)).SetReason(d.Reason).
			SetContentHash(d.ContentHash).SetChars(d.Chars).SetPassageCount(d.Passages).SetIndexed(d.Indexed).
			SetVersion(d.Version).SetLive(d.Live).SetAttempts(d.Attempts).SetEtag(d.ETag).SetLastModified(d.LastModified).
			SetUpdatedAt(d.UpdatedAt).SetNillableFetchedAt(d.FetchedAt)
		if d.DueAt != nil {
			update.SetDueAt(*d.DueAt)
		} else {
			update.ClearDueAt()
		}
		if withContent {
			update.SetContent(d.Content).SetPlaces(string(places))
		}
		return affected(update.Save(ctx))
	})
}

// SetIndexed writes how far the indexing has come.
func (s *Store) SetIndexed(ctx context.Context, workspaceID, documentID string, indexed int) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Document.Update().Where(document.ID(documentID)).SetIndexed(indexed).Exec(ctx)
	})
}

// MarkRemoving takes a document out of every answer.
func (s *Store) MarkRemoving(ctx context.Context, workspaceID, documentID string, now time.Time) error {
	return s.InTx(ctx, func(ctx context.Context) error {
		err := affected(s.db(ctx).Document.Update().Where(document.ID(documentID)).SetState(string(knowledge.Removing)).
			SetReason("").SetLive(0).SetAttempts(0).SetDueAt(now).SetUpdatedAt(now).Save(within(ctx, workspaceID)))
		if err != nil {
			return mapError(err)
		}
		return s.forgetAnswers(ctx, forgetByDocument, workspaceID, documentID)
	})
}

// PostponeRemoval says when a removing document is tried again.
func (s *Store) PostponeRemoval(ctx context.Context, workspaceID, documentID string, attempts int, due time.Time) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Document.Update().Where(document.ID(documentID)).SetAttempts(attempts).SetDueAt(due).Exec(ctx)
	})
}

// MarkReindex has a chatbot's settled documents that have a content split and
// indexed again.
func (s *Store) MarkReindex(ctx context.Context, workspaceID, chatbotID string, now time.Time) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Document.Update().Where(document.ChatbotID(chatbotID), settled, document.VersionGT(0)).
			SetState(string(knowledge.Indexing)).SetContentHash("").SetReason("").SetAttempts(0).
			SetDueAt(now).SetUpdatedAt(now).Exec(ctx)
	})
}

// DeleteDocument removes a document with its passages, if it is there.
func (s *Store) DeleteDocument(ctx context.Context, workspaceID, documentID string) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		_, err := db.Document.Delete().Where(document.ID(documentID)).Exec(ctx)
		return err
	})
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

func toDocument(row *ent.Document) knowledge.Document {
	d := knowledge.Document{
		ID: row.ID, WorkspaceID: row.WorkspaceID, ChatbotID: row.ChatbotID, SourceID: row.SourceID, URL: row.URL,
		Depth: row.Depth, Title: row.Title, Kind: knowledge.Kind(row.Kind), State: knowledge.State(row.State),
		Reason: row.Reason, Content: row.Content, InputHash: row.InputHash, ContentHash: row.ContentHash,
		Chars: row.Chars, Passages: row.PassageCount, Indexed: row.Indexed, Version: row.Version, Live: row.Live,
		Attempts: row.Attempts, DueAt: utc(row.DueAt), ETag: row.Etag, LastModified: row.LastModified,
		FetchedAt: utc(row.FetchedAt), UpdatedAt: row.UpdatedAt.UTC(), CreatedAt: row.CreatedAt.UTC(),
	}
	_ = json.Unmarshal([]byte(row.Places), &d.Places) // written here only, or empty
	return d
}
