package store

import (
	"context"
	"time"

	"parley/core/knowledge"
	"parley/ent"
	"parley/ent/document"
	"parley/ent/embedding"
	"parley/ent/predicate"
	"parley/ent/removal"
	"parley/ent/scope"
	"parley/ent/upload"
)

// storedBytes is SQL by hand: neither database reads a text or file to say how
// long it is.
const storedBytes = `SELECT
	(SELECT COALESCE(SUM(octet_length(content)), 0) + $2 * COUNT(*) FROM documents WHERE workspace_id = $1) +
	(SELECT COALESCE(SUM(octet_length(body)), 0) FROM uploads WHERE workspace_id = $1)`

// StoredBytes is the size of a workspace's files and texts, and
// [knowledge.DocumentBytes] for each document.
func (s *Store) StoredBytes(ctx context.Context, workspaceID string) (n int, err error) {
	err = scanOne(ctx, s.raw(ctx), []any{&n}, storedBytes, workspaceID, int64(knowledge.DocumentBytes))
	return n, mapError(err)
}

// UploadSize is the length of a document's file in bytes, or zero.
func (s *Store) UploadSize(ctx context.Context, workspaceID, documentID string) (n int, err error) {
	err = scanOne(ctx, s.raw(ctx), []any{&n},
		"SELECT COALESCE(SUM(octet_length(body)), 0) FROM uploads WHERE workspace_id = $1 AND document_id = $2", workspaceID, documentID)
	return n, mapError(err)
}

// DeleteFailedUploads deletes the files of documents of every workspace that
// failed before a time.
func (s *Store) DeleteFailedUploads(ctx context.Context, failedBefore time.Time) error {
	return s.write(scope.System(ctx), func(ctx context.Context, db *ent.Client) error {
		_, err := db.Upload.Delete().Where(upload.HasDocumentWith(
			document.State(string(knowledge.Failed)), document.UpdatedAtLT(failedBefore))).Exec(ctx)
		return err
	})
}

// trimBatch bounds what one transaction deletes.
const trimBatch = 1_000

// inWorkspace is how many rows a workspace has.
type inWorkspace struct {
	WorkspaceID string `json:"workspace_id"`
	Count       int    `json:"count"`
}

// TrimEmbeddings deletes, in every workspace that has more than floor and more
// than times as many as it has passages, those that were used longest ago.
func (s *Store) TrimEmbeddings(ctx context.Context, floor, times int) error {
	ctx = scope.System(ctx)
	var all []inWorkspace
	err := s.db(ctx).Embedding.Query().GroupBy(embedding.FieldWorkspaceID).Aggregate(ent.Count()).Scan(ctx, &all)
	if err != nil {
		return mapError(err)
	}
	for _, w := range all {
		if w.Count <= floor {
			continue
		}
		passages, err := s.db(ctx).Document.Query().Where(document.WorkspaceID(w.WorkspaceID)).
			Select(document.FieldPassageCount).Ints(ctx)
		if err != nil {
			return mapError(err)
		}
		limit := 0
		for _, n := range passages {
			limit += times * n
		}
		err = inParts(w.Count-max(floor, limit), func(n int) error {
			ids, err := s.db(ctx).Embedding.Query().Where(embedding.WorkspaceID(w.WorkspaceID)).
				Order(embedding.ByUsedAt(), embedding.ByID()).Limit(n).IDs(ctx)
			if err != nil {
				return mapError(err)
			}
			return s.write(ctx, func(ctx context.Context, db *ent.Client) error {
				_, err := db.Embedding.Delete().Where(embedding.IDIn(ids...)).Exec(ctx)
				return err
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// TrimRemovals deletes, in every workspace that has more than limit receipts,
// the oldest of those that were counted for good.
func (s *Store) TrimRemovals(ctx context.Context, limit int) error {
	ctx = scope.System(ctx)
	var all []inWorkspace
	counted := removal.CountedAtNotNil()
	err := s.db(ctx).Removal.Query().Where(counted).GroupBy(removal.FieldWorkspaceID).Aggregate(ent.Count()).Scan(ctx, &all)
	if err != nil {
		return mapError(err)
	}
	for _, w := range all {
		of := []predicate.Removal{counted, removal.WorkspaceID(w.WorkspaceID)}
		err := inParts(w.Count-limit, func(n int) error {
			ids, err := s.db(ctx).Removal.Query().Where(of...).Order(removal.ByRequestedAt(), removal.ByID()).Limit(n).IDs(ctx)
			if err != nil {
				return mapError(err)
			}
			return s.write(ctx, func(ctx context.Context, db *ent.Client) error {
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

// inParts calls do with at most trimBatch at a time, n in all.
func inParts(n int, do func(n int) error) error {
	for ; n > 0; n -= trimBatch {
		if err := do(min(n, trimBatch)); err != nil {
			return err
		}
	}
	return nil
}
