package store

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"

	ent "parley/ent/generated"
)

// Batches keep a statement's parameters under the databases' limits, and a
// long document from keeping others from writing.
const (
	documentBatch = 200
	passageBatch  = 500
)

// inBatches calls do with at most size rows at a time.
func inBatches[T any](rows []T, size int, do func([]T) error) error {
	for len(rows) > 0 {
		n := min(size, len(rows))
		if err := do(rows[:n]); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// trimBatch bounds what one transaction deletes.
const trimBatch = 1_000

// inPortions deletes what find returns, at most trimBatch rows in a transaction, until
// find returns fewer, so that other writers need not wait. A row may have changed
// since it was found: remove names the condition again.
func inPortions[ID any](ctx context.Context, s *Store, find func(context.Context, *ent.Client) ([]ID, error),
	remove func(ctx context.Context, db *ent.Client, ids []ID) (int, error),
) error {
	for {
		ids, err := find(ctx, s.db(ctx))
		if err != nil || len(ids) == 0 {
			return mapError(err)
		}
		err = s.write(ctx, func(ctx context.Context, db *ent.Client) error {
			_, err := remove(ctx, db, ids)
			return err
		})
		if err != nil || len(ids) < trimBatch {
			return err
		}
	}
}

// inWorkspace is how many rows a workspace has.
type inWorkspace struct {
	WorkspaceID string `json:"workspace_id"`
	Count       int    `json:"count"`
}

// moreThan leaves out groups of n rows or fewer.
func moreThan(n int) func(*entsql.Selector) {
	return func(q *entsql.Selector) { q.Having(entsql.GT(entsql.Count("*"), n)) }
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
