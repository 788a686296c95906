package store

import (
	"context"

	ent "parley/ent/generated"
)

// BatchRows is how many rows one statement writes or names: batches keep its parameters
// under the databases' limits, and many rows from keeping others from writing.
const BatchRows = 500

// InBatches calls do with at most size rows at a time.
func InBatches[T any](rows []T, size int, do func([]T) error) error {
	for len(rows) > 0 {
		n := min(size, len(rows))
		if err := do(rows[:n]); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// TrimBatch bounds what one transaction deletes.
const TrimBatch = 1_000

// InPortions deletes what find returns, at most TrimBatch rows in a transaction, until
// find returns fewer, so that other writers need not wait. A row may have changed
// since it was found: remove names the condition again.
func InPortions[ID any](ctx context.Context, s *Store, find func(context.Context, *ent.Client) ([]ID, error),
	remove func(ctx context.Context, db *ent.Client, ids []ID) (int, error),
) error {
	for {
		ids, err := find(ctx, s.Client(ctx))
		if err != nil || len(ids) == 0 {
			return MapError(err)
		}
		err = s.Write(ctx, func(ctx context.Context, db *ent.Client) error {
			_, err := remove(ctx, db, ids)
			return err
		})
		if err != nil || len(ids) < TrimBatch {
			return err
		}
	}
}
