package knowledge

import (
	"context"
	"database/sql"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/system"
	ent "parley/ent/generated"
	"parley/ent/generated/document"
	"parley/ent/scope"
	"parley/store"
)

// Embeddings keeps vectors, by the hash of their text.
type Embeddings struct{ store *store.Store }

// NewEmbeddings returns the embeddings of a database.
func NewEmbeddings(db *store.Store) *Embeddings { return &Embeddings{db} }

const (
	embeddingsOf   = `SELECT text_hash, vector FROM embeddings WHERE workspace_id = $1 AND model = $2 AND text_hash IN `
	manyEmbeddings = `SELECT workspace_id, COUNT(*) FROM embeddings GROUP BY workspace_id HAVING COUNT(*) > $1`
	// longestAgo deletes those that were used longest ago.
	longestAgo = `DELETE FROM embeddings WHERE workspace_id = $1
	AND id IN (SELECT id FROM embeddings WHERE workspace_id = $1 ORDER BY used_at, id LIMIT $2)`
)

// Embeddings returns those vectors that are known, by the hash of their text.
func (s *Embeddings) Embeddings(ctx context.Context, workspaceID, model string, hashes []string) (map[string][]float32, error) {
	known := make(map[string][]float32, len(hashes))
	if len(hashes) == 0 {
		return known, nil
	}
	ctx = scope.Workspace(ctx, workspaceID)
	args := append([]any{workspaceID, model}, store.Column(hashes, func(hash *string) any { return *hash })...)
	err := store.EachRow(ctx, s.store.Raw(ctx), embeddingsOf+store.Placeholders(3, len(hashes)), args, func(row *sql.Rows) error {
		var hash string
		var vector sql.RawBytes
		err := row.Scan(&hash, &vector)
		known[hash] = vectorFromRow(vector)
		return err
	})
	if err != nil {
		return nil, store.MapError(err)
	}
	return known, nil
}

// SaveEmbeddings keeps vectors by the hash of their text.
func (s *Embeddings) SaveEmbeddings(ctx context.Context, workspaceID, model string, vectors map[string][]float32, now time.Time) error {
	return s.store.InTx(scope.Workspace(ctx, workspaceID), func(ctx context.Context) error {
		// In order: two transactions that save the same vectors must not deadlock.
		return store.InBatches(slices.Sorted(maps.Keys(vectors)), store.BatchRows, func(hashes []string) error {
			rows := s.store.Into("embeddings").Columns("workspace_id", "model", "text_hash", "vector", "used_at")
			for _, hash := range hashes {
				rows.Values(workspaceID, model, hash, fromVector(vectors[hash]), now)
			}
			return s.store.Exec(ctx, rows.OnConflict(
				entsql.ConflictColumns("workspace_id", "model", "text_hash"), store.Overwrite("used_at", "vector")))
		})
	})
}

// DeleteEmbeddings deletes vectors of every workspace from before a time.
func (s *Embeddings) DeleteEmbeddings(ctx context.Context, access system.Access, before time.Time) error {
	return s.store.Expire(scope.System(ctx, access), "embeddings", "used_at < $1", before)
}

func vectorFromRow(raw []byte) []float32 {
	vector := make([]float32, len(raw)/4)
	for i := range vector {
		vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return vector
}

func fromVector(vector []float32) []byte {
	raw := make([]byte, 4*len(vector))
	for i, x := range vector {
		binary.LittleEndian.PutUint32(raw[4*i:], math.Float32bits(x))
	}
	return raw
}

// TrimEmbeddings deletes, in every workspace that has more than floor and more
// than times as many as it has passages, those that were used longest ago.
func (s *Embeddings) TrimEmbeddings(ctx context.Context, access system.Access, floor, times int) error {
	ctx = scope.System(ctx, access)
	all, err := store.Rows(ctx, s.store, func(w *inWorkspace) []any { return []any{&w.WorkspaceID, &w.Count} }, manyEmbeddings, floor)
	if err != nil {
		return err
	}
	for _, w := range all {
		var passages []struct{ Sum sql.NullInt64 }
		err := s.store.Client(ctx).Document.Query().Where(document.WorkspaceID(w.WorkspaceID)).
			Aggregate(ent.Sum(document.FieldPassageCount)).Scan(ctx, &passages)
		if err != nil {
			return store.MapError(err)
		}
		err = inParts(w.Count-max(floor, times*int(passages[0].Sum.Int64)), func(n int) error {
			return s.store.Run(ctx, longestAgo, w.WorkspaceID, n)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
