package knowledge

import (
	"context"
	"fmt"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
	ent "parley/ent/generated"
	"parley/ent/generated/document"
	"parley/ent/generated/source"
	"parley/ent/scope"
	"parley/store"
)

// documentBatch is how many documents one statement adds: each may have a long text.
const documentBatch = 200

// Sources keeps sources, and the documents that they find.
type Sources struct{ store *store.Store }

// NewSources returns the sources of a database.
func NewSources(db *store.Store) *Sources { return &Sources{db} }

// CreateSource adds a source.
func (s *Sources) CreateSource(ctx context.Context, workspaceID string, v knowledge.Source) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Source.Create().SetID(v.ID).SetWorkspaceID(workspaceID).SetChatbotID(v.ChatbotID).SetKind(string(v.Kind)).
			SetURL(v.URL).SetInclude(store.List(v.Rules.Include)).SetExclude(store.List(v.Rules.Exclude)).SetMaxDepth(v.Rules.MaxDepth).
			SetMaxPages(v.Rules.MaxPages).SetSchedule(string(v.Schedule)).SetState(string(v.State)).
			SetNillableDueAt(v.DueAt).SetCreatedAt(v.CreatedAt).Exec(ctx)
	})
}

// Source returns one source.
func (s *Sources) Source(ctx context.Context, workspaceID, chatbotID, sourceID string) (knowledge.Source, error) {
	row, err := s.store.Client(ctx).Source.Query().
		Where(source.ID(sourceID), source.ChatbotID(chatbotID)).Only(scope.Workspace(ctx, workspaceID))
	if ent.IsNotFound(err) {
		return knowledge.Source{}, fault.New(fault.NotFound, "Address not found.")
	}
	return store.One(row, err, sourceFromRow)
}

// Sources returns a chatbot's sources, oldest first.
func (s *Sources) Sources(ctx context.Context, workspaceID, chatbotID string) ([]knowledge.Source, error) {
	rows, err := s.store.Client(ctx).Source.Query().Where(source.ChatbotID(chatbotID)).
		Order(source.ByCreatedAt(), source.ByID()).All(scope.Workspace(ctx, workspaceID))
	return store.Mapped(rows, err, sourceFromRow)
}

// UpdateSource writes all columns that change.
func (s *Sources) UpdateSource(ctx context.Context, workspaceID string, v knowledge.Source) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		update := db.Source.Update().Where(source.ID(v.ID)).SetURL(v.URL).SetSchedule(string(v.Schedule)).SetState(string(v.State)).
			SetReason(v.Reason).SetAttempts(v.Attempts).SetBegun(v.Begun).SetNillableSyncedAt(v.SyncedAt)
		if v.DueAt != nil {
			update.SetDueAt(*v.DueAt)
		} else {
			update.ClearDueAt()
		}
		return store.Affected(update.Save(ctx))
	})
}

// SetSourceBegun sets how many attempts at a source began and did not end.
func (s *Sources) SetSourceBegun(ctx context.Context, workspaceID, sourceID string, from, to int) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.Source.Update().Where(source.ID(sourceID), source.Begun(from)).SetBegun(to).Save(ctx))
	})
}

// DeleteSource removes a source, if it is there.
func (s *Sources) DeleteSource(ctx context.Context, workspaceID, sourceID string) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		_, err := db.Source.Delete().Where(source.ID(sourceID)).Exec(ctx)
		return err
	})
}

func sourceFromRow(row *ent.Source) knowledge.Source {
	return knowledge.Source{
		ID: row.ID, WorkspaceID: row.WorkspaceID, ChatbotID: row.ChatbotID, Kind: knowledge.SourceKind(row.Kind), URL: row.URL,
		Rules: knowledge.Rules{
			Include: row.Include, Exclude: row.Exclude, MaxDepth: row.MaxDepth, MaxPages: row.MaxPages,
		},
		Schedule: knowledge.Schedule(row.Schedule), State: knowledge.SourceState(row.State), Reason: row.Reason,
		Attempts: row.Attempts, Begun: row.Begun, DueAt: store.UTC(row.DueAt), SyncedAt: store.UTC(row.SyncedAt), CreatedAt: row.CreatedAt.UTC(),
	}
}

// MarkSourceRemoving takes all documents of a source out of every answer, each
// with its receipt.
func (s *Sources) MarkSourceRemoving(ctx context.Context, workspaceID, sourceID string, now time.Time) error {
	ctx = scope.Workspace(ctx, workspaceID)
	list := "text"
	if !s.store.IsSQLite() {
		list = "jsonb"
	}
	return s.store.InTx(ctx, func(ctx context.Context) error {
		_, err := s.store.Raw(ctx).ExecContext(ctx, fmt.Sprintf(insertRemovals, list), now, workspaceID, sourceID)
		if err != nil {
			return err
		}
		if _, err = s.store.Raw(ctx).ExecContext(ctx, markRemoving, now, now, workspaceID, sourceID); err != nil {
			return err
		}
		return forgetAnswers(ctx, s.store, forgetBySource, workspaceID, sourceID)
	})
}

// CreateFound adds the documents of a source whose addresses it lacks, until
// the source has limit documents or room of them were added.
func (s *Sources) CreateFound(ctx context.Context, workspaceID string, source knowledge.Source, found []knowledge.Document, limit, room int) (added int, err error) {
	err = s.store.InTx(scope.Workspace(ctx, workspaceID), func(ctx context.Context) error {
		urls, err := s.store.Client(ctx).Document.Query().Where(document.SourceID(source.ID)).Select(document.FieldURL).Strings(ctx)
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
			rows = append(rows, NewDocumentRow(s.store.Client(ctx), workspaceID, d))
		}
		added = len(rows)
		return store.InBatches(rows, documentBatch, func(batch []*ent.DocumentCreate) error {
			return s.store.Client(ctx).Document.CreateBulk(batch...).Exec(ctx)
		})
	})
	return added, err
}

// RefreshFound has all settled documents of a source fetched again.
func (s *Sources) RefreshFound(ctx context.Context, workspaceID, sourceID string, now time.Time) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Document.Update().Where(document.SourceID(sourceID), settled).
			SetState(string(knowledge.Pending)).SetReason("").SetAttempts(0).SetDueAt(now).SetUpdatedAt(now).Exec(ctx)
	})
}

// SourceDocuments returns a source's documents without contents.
func (s *Sources) SourceDocuments(ctx context.Context, workspaceID, sourceID string) ([]knowledge.Document, error) {
	return listDocuments(scope.Workspace(ctx, workspaceID), s.store.Client(ctx).Document.Query().Where(document.SourceID(sourceID)))
}

// removeSource writes the receipts of a source's documents and takes them out
// of every answer. In two statements: a site may have 10,000 pages, and others
// wait to write. A receipt's ID is made of the document's.
const (
	insertRemovals = `INSERT INTO removals (id, workspace_id, chatbot_id, document_id, title, url, content_hash, passages,
		requested_at, answers, message_ids)
	SELECT 'rm_' || substr(id, 5), workspace_id, chatbot_id, id, title, url, content_hash, passage_count, $1, 0, CAST('[]' AS %s)
	FROM documents WHERE workspace_id = $2 AND source_id = $3 AND state <> 'removing'`
	markRemoving = `UPDATE documents SET state = 'removing', external_id = '', reason = '', live = 0, attempts = 0, due_at = $1, updated_at = $2
	WHERE workspace_id = $3 AND source_id = $4 AND state <> 'removing'`
)
