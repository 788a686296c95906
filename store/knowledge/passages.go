package knowledge

import (
	"context"

	"parley/core/knowledge"
	"parley/core/retrieval"
	ent "parley/ent/generated"
	"parley/ent/generated/passage"
	"parley/ent/scope"
	"parley/store"
)

// Passages keeps passages.
type Passages struct {
	store *store.Store
	known *passageCache
	// documents is nil on SQLite.
	documents *store.Group[foundDocuments, map[string]liveDocument]
}

// NewPassages returns the passages of a database. One value remembers passages and, on
// PostgreSQL, has questions share statements, so a process needs one to search with.
func NewPassages(db *store.Store) *Passages {
	s := &Passages{store: db, known: newPassageCache()}
	s.documents = store.NewGroup(db, func(row *foundDocuments) string { return row.workspaceID }, s.liveDocumentsAlone, liveDocumentsTogether)
	return s
}

// AddPassages adds the passages of a document's version, each batch in a
// transaction of its own.
func (s *Passages) AddPassages(ctx context.Context, workspaceID string, d knowledge.Document, passages []retrieval.Passage) error {
	return store.InBatches(passages, store.BatchRows, func(batch []retrieval.Passage) error {
		return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
			rows := make([]*ent.PassageCreate, len(batch))
			for i, p := range batch {
				rows[i] = db.Passage.Create().SetWorkspaceID(workspaceID).SetChatbotID(d.ChatbotID).SetDocumentID(d.ID).
					SetVersion(d.Version).SetOrdinal(p.Ordinal).SetTitle(p.Title).SetHeadingPath(store.List(p.HeadingPath)).
					SetPlace(p.Place).SetStart(p.Start).SetEnd(p.End).SetContentHash(d.ContentHash).SetText(p.Text)
			}
			return db.Passage.CreateBulk(rows...).Exec(ctx)
		})
	})
}

// Passages returns the passages of one version of a document, in order.
func (s *Passages) Passages(ctx context.Context, workspaceID, documentID string, version int) ([]retrieval.Passage, error) {
	rows, err := s.store.Client(ctx).Passage.Query().Where(passage.DocumentID(documentID), passage.Version(version)).
		Order(passage.ByOrdinal()).All(scope.Workspace(ctx, workspaceID))
	return store.Mapped(rows, err, passageFromRow)
}

// heldColumns are what an index holds of a passage, and of which version it is.
var heldColumns = []string{passage.FieldID, passage.FieldDocumentID, passage.FieldVersion, passage.FieldOrdinal, passage.FieldTitle, passage.FieldHeadingPath, passage.FieldText}

// PassagesHeld returns the passages of the held versions of documents, in order, by document.
func (s *Passages) PassagesHeld(ctx context.Context, workspaceID string, documents []knowledge.Document) (map[string][]retrieval.Passage, error) {
	held := make(map[string][]retrieval.Passage, len(documents))
	err := store.InBatches(documents, store.BatchRows, func(batch []knowledge.Document) error {
		version, ids := make(map[string]int, len(batch)), make([]string, len(batch))
		for i, d := range batch {
			version[d.ID], ids[i] = d.Held(), d.ID
		}
		rows, err := s.store.Client(ctx).Passage.Query().Where(passage.DocumentIDIn(ids...)).
			Order(passage.ByDocumentID(), passage.ByOrdinal()).Select(heldColumns...).All(scope.Workspace(ctx, workspaceID))
		if err != nil {
			return store.MapError(err)
		}
		for _, row := range rows {
			if row.Version == version[row.DocumentID] {
				held[row.DocumentID] = append(held[row.DocumentID], passageFromRow(row))
			}
		}
		return nil
	})
	return held, err
}

// DeletePassages deletes the passages of all versions of a document but one.
func (s *Passages) DeletePassages(ctx context.Context, workspaceID, documentID string, keep int) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		_, err := db.Passage.Delete().Where(passage.DocumentID(documentID), passage.VersionNEQ(keep)).Exec(ctx)
		return err
	})
}

func passageFromRow(row *ent.Passage) retrieval.Passage {
	return retrieval.Passage{
		ID: row.ID, DocumentID: row.DocumentID, Version: row.Version, Ordinal: row.Ordinal, Title: row.Title,
		HeadingPath: row.HeadingPath, Place: row.Place, Start: row.Start, End: row.End, ContentHash: row.ContentHash, Text: row.Text,
		Begun: row.Begun, Encoded: row.Encoding != nil && len(*row.Encoding) > 0, // null is read as an empty one
	}
}
