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
	"parley/ent/generated/embedding"
	"parley/ent/scope"
	"parley/store"
)

// Embeddings keeps vectors, by the hash of their text.
type Embeddings struct{ store *store.Store }

// NewEmbeddings returns the embeddings of a database.
func NewEmbeddings(db *store.Store) *Embeddings { return &Embeddings{db} }

// Embeddings returns those vectors that are known, by the hash of their text.
func (s *Embeddings) Embeddings(ctx context.Context, workspaceID, model string, hashes []string) (map[string][]float32, error) {
	rows, err := s.store.Client(ctx).Embedding.Query().
		Where(embedding.WorkspaceID(workspaceID), embedding.Model(model), embedding.TextHashIn(hashes...)).
		All(scope.Workspace(ctx, workspaceID))
	if err != nil {
		return nil, store.MapError(err)
	}
	known := make(map[string][]float32, len(rows))
	for _, row := range rows {
		known[row.TextHash] = vectorFromRow(row.Vector)
	}
	return known, nil
}

// SaveEmbeddings keeps vectors by the hash of their text.
func (s *Embeddings) SaveEmbeddings(ctx context.Context, workspaceID, model string, vectors map[string][]float32, now time.Time) error {
	return s.store.InTx(scope.Workspace(ctx, workspaceID), func(ctx context.Context) error {
		// In order: two transactions that save the same vectors must not deadlock.
		return store.InBatches(slices.Sorted(maps.Keys(vectors)), store.BatchRows, func(hashes []string) error {
			rows := s.store.Into(embedding.Table).Columns(embedding.FieldWorkspaceID, embedding.FieldModel, embedding.FieldTextHash, embedding.FieldVector, embedding.FieldUsedAt)
			for _, hash := range hashes {
				rows.Values(workspaceID, model, hash, fromVector(vectors[hash]), now)
			}
			return s.store.Exec(ctx, rows.OnConflict(
				entsql.ConflictColumns(embedding.FieldWorkspaceID, embedding.FieldModel, embedding.FieldTextHash),
				store.Overwrite(embedding.FieldUsedAt, embedding.FieldVector)))
		})
	})
}

// DeleteEmbeddings deletes vectors of every workspace from before a time.
func (s *Embeddings) DeleteEmbeddings(ctx context.Context, access system.Access, before time.Time) error {
	return store.InPortions(scope.System(ctx, access), s.store, func(ctx context.Context, db *ent.Client) ([]int64, error) {
		return db.Embedding.Query().Where(embedding.UsedAtLT(before)).Limit(store.TrimBatch).IDs(ctx)
	}, func(ctx context.Context, db *ent.Client, ids []int64) (int, error) {
		return db.Embedding.Delete().Where(embedding.IDIn(ids...), embedding.UsedAtLT(before)).Exec(ctx)
	})
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
	var all []inWorkspace
	err := s.store.Client(ctx).Embedding.Query().Where(moreThan(floor)).GroupBy(embedding.FieldWorkspaceID).Aggregate(ent.Count()).Scan(ctx, &all)
	if err != nil {
		return store.MapError(err)
	}
	for _, w := range all {
		var passages []struct{ Sum sql.NullInt64 }
		err := s.store.Client(ctx).Document.Query().Where(document.WorkspaceID(w.WorkspaceID)).
			Aggregate(ent.Sum(document.FieldPassageCount)).Scan(ctx, &passages)
		if err != nil {
			return store.MapError(err)
		}
		err = inParts(w.Count-max(floor, times*int(passages[0].Sum.Int64)), func(n int) error {
			ids, err := s.store.Client(ctx).Embedding.Query().Where(embedding.WorkspaceID(w.WorkspaceID)).
				Order(embedding.ByUsedAt(), embedding.ByID()).Limit(n).IDs(ctx)
			if err != nil {
				return store.MapError(err)
			}
			return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
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
