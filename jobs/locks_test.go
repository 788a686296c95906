package jobs

import (
	"context"
	"sync"
	"testing"
	"time"
)

// busy always has more to do, so that its jobs go back to the queue over and over:
// River writes that in batches, which lock many jobs in an order of its own.
type busy struct{}

func (busy) Work(context.Context, string, string) (bool, time.Duration, error) { return true, 0, nil }

func (busy) Finish(context.Context, string, string, func(context.Context) error) (bool, error) {
	return true, nil
}

// Some changes of knowledge enqueue several kinds of work in one transaction,
// which then holds the lock of several jobs.
func TestSeveralKindsInOneTransactionMeetNoDeadlock(t *testing.T) {
	onBothDatabases(t, func(h *fixture) {
		h.workspaces("ws_a", "ws_b", "ws_c", "ws_d")
		kinds := []string{"fetch", "extract", "index"}
		q := h.queue(Config{Workers: map[string]int{"fetch": 4, "extract": 4, "index": 4}, Poll: time.Millisecond})
		h.run(q, busy{})
		var all sync.WaitGroup
		for _, id := range []string{"ws_a", "ws_b", "ws_c", "ws_d"} {
			all.Go(func() {
				for range 150 {
					err := h.store.InTx(t.Context(), func(ctx context.Context) error {
						if _, err := h.store.LockWorkspace(ctx, id); err != nil {
							return err
						}
						for _, kind := range kinds {
							if err := q.Enqueue(ctx, id, kind); err != nil {
								return err
							}
						}
						return nil
					})
					if err != nil {
						h.Error(err)
						return
					}
				}
			})
		}
		all.Wait()
	})
}
