package knowledge

import (
	entsql "entgo.io/ent/dialect/sql"

	"parley/store"
)

// inWorkspace is how many rows a workspace has.
type inWorkspace struct {
	WorkspaceID string `json:"workspace_id"`
	Count       int    `json:"count"`
}

// moreThan leaves out groups of n rows or fewer.
func moreThan(n int) func(*entsql.Selector) {
	return func(q *entsql.Selector) { q.Having(entsql.GT(entsql.Count("*"), n)) }
}

// inParts calls do with at most TrimBatch at a time, n in all.
func inParts(n int, do func(n int) error) error {
	for ; n > 0; n -= store.TrimBatch {
		if err := do(min(n, store.TrimBatch)); err != nil {
			return err
		}
	}
	return nil
}
