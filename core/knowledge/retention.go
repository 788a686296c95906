package knowledge

import (
	"context"
	"errors"
	"time"

	"parley/core/knowledge/embedding"
	"parley/core/system"
)

// EmbeddingStore is the port to the stored vectors.
type EmbeddingStore interface {
	embedding.Store
	// DeleteEmbeddings deletes embeddings, in every workspace, that were last used
	// before a time.
	DeleteEmbeddings(ctx context.Context, access system.Access, before time.Time) error
	// TrimEmbeddings deletes, in every workspace that has more than floor and
	// more than times as many as it has passages, those that were used longest
	// ago.
	TrimEmbeddings(ctx context.Context, access system.Access, floor, times int) error
}

// Retention deletes what has exceeded its time.
type Retention struct {
	uploads    UploadStore
	embeddings EmbeddingStore
	receipts   RemovalStore
	system     system.Access
	now        func() time.Time
}

// What is kept beside documents, and for how long: each workspace's share of the
// disk has a bound.
const (
	// uploadsKept is how long the file of a document that failed waits for its
	// owner to choose Retry.
	uploadsKept = 7 * 24 * time.Hour
	// embeddingsKept is how long vectors wait for a text to come again. A
	// workspace has at most embeddingsFloor of them, or embeddingsTimes as many
	// as passages.
	embeddingsKept  = 90 * 24 * time.Hour
	embeddingsFloor = 2_000
	embeddingsTimes = 4
	// removalsKept is how many receipts of removed documents a workspace has.
	removalsKept = 10_000
)

// DeleteExpired deletes, in every workspace, what has exceeded its time.
func (s *Retention) DeleteExpired(ctx context.Context) error {
	now := s.now()
	return errors.Join(
		s.uploads.DeleteFailedUploads(ctx, s.system, now.Add(-uploadsKept)),
		s.embeddings.DeleteEmbeddings(ctx, s.system, now.Add(-embeddingsKept)),
		s.embeddings.TrimEmbeddings(ctx, s.system, embeddingsFloor, embeddingsTimes),
		s.receipts.TrimRemovals(ctx, s.system, removalsKept),
	)
}
