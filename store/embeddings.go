package store

import (
	"context"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"parley/ent"
	"parley/ent/embedding"
	"parley/ent/scope"
)

// Embeddings returns those vectors that are known, by the hash of their text.
func (s *Store) Embeddings(ctx context.Context, workspaceID, model string, hashes []string) (map[string][]float32, error) {
	rows, err := s.db(ctx).Embedding.Query().
		Where(embedding.WorkspaceID(workspaceID), embedding.Model(model), embedding.TextHashIn(hashes...)).
		All(within(ctx, workspaceID))
	if err != nil {
		return nil, mapError(err)
	}
	known := make(map[string][]float32, len(rows))
	for _, row := range rows {
		known[row.TextHash] = toVector(row.Vector)
	}
	return known, nil
}

// SaveEmbeddings keeps vectors by the hash of their text.
func (s *Store) SaveEmbeddings(ctx context.Context, workspaceID, model string, vectors map[string][]float32, now time.Time) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		rows := make([]*ent.EmbeddingCreate, 0, len(vectors))
		// In order: two who save the same must not wait for each other.
		for _, hash := range slices.Sorted(maps.Keys(vectors)) {
			rows = append(rows, db.Embedding.Create().SetWorkspaceID(workspaceID).SetModel(model).
				SetTextHash(hash).SetVector(fromVector(vectors[hash])).SetUsedAt(now))
		}
		return inBatches(rows, passageBatch, func(batch []*ent.EmbeddingCreate) error {
			return db.Embedding.CreateBulk(batch...).OnConflict(
				entsql.ConflictColumns(embedding.FieldWorkspaceID, embedding.FieldModel, embedding.FieldTextHash),
				entsql.ResolveWith(func(u *entsql.UpdateSet) { u.SetExcluded(embedding.FieldUsedAt).SetExcluded(embedding.FieldVector) }),
			).Exec(ctx)
		})
	})
}

// DeleteEmbeddings deletes those of every workspace from before a time.
func (s *Store) DeleteEmbeddings(ctx context.Context, before time.Time) error {
	return s.write(scope.System(ctx), func(ctx context.Context, db *ent.Client) error {
		_, err := db.Embedding.Delete().Where(embedding.UsedAtLT(before)).Exec(ctx)
		return err
	})
}

func toVector(raw []byte) []float32 {
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
