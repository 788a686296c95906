package store

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

// inWorkspace is how many rows a workspace has.
type inWorkspace struct {
	WorkspaceID string `json:"workspace_id"`
	Count       int    `json:"count"`
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
