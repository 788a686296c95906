package jobs

import (
	"context"
	"testing"
	"time"
)

func TestWaiting(t *testing.T) {
	onBothDatabases(t, func(h *fixture) {
		h.workspaces("ws_a", "ws_b")
		failed := make(chan string, 100)
		q := h.queue(Config{Poll: never, Failed: func(work string) { failed <- work }})
		waiting := func(jobs int) Waiting {
			h.Helper()
			found, err := q.Waiting(h.Context())
			if err != nil || found.Jobs[someWork] != jobs {
				h.Fatalf("there wait %+v, %v", found, err)
			}
			return found
		}

		h.Run("nothing waits at first", func(*testing.T) { waiting(0) })
		h.Run("jobs wait while nobody takes them, the oldest for longest", func(t *testing.T) {
			h.add(q, "ws_a", 1)
			h.add(q, "ws_b", 1)
			if found := waiting(2); found.Oldest < 0 || found.Oldest > patience {
				t.Errorf("the oldest waits for %s", found.Oldest)
			}
			h.alter("UPDATE river_job SET scheduled_at = '2020-01-01 00:00:00' WHERE id = (SELECT min(id) FROM river_job)")
			if found := waiting(2); found.Oldest < 365*24*time.Hour {
				t.Errorf("the oldest waits for %s", found.Oldest)
			}
		})
		h.Run("a job that is to wait is not due", func(t *testing.T) {
			h.alter("UPDATE river_job SET scheduled_at = '2999-01-01 00:00:00'")
			if found := waiting(2); found.Oldest != 0 {
				t.Errorf("the oldest waits for %s", found.Oldest)
			}
			h.alter("UPDATE river_job SET scheduled_at = '2020-01-01 00:00:00'")
		})
		h.Run("a slice that fails is told by its kind, and waits again", func(t *testing.T) {
			stop := h.run(q, h.worker(func(context.Context, string) error { return errTest }))
			if work := receive(t, "a failure is told", failed); work != someWork {
				t.Errorf("it is of the kind %q", work)
			}
			eventually(t, "both wait", func() bool {
				found, err := q.Waiting(t.Context())
				return err == nil && found.Jobs[someWork] == 2
			})
			stop()
		})
	})
}

// alter runs a statement that the queue itself may not.
func (h *fixture) alter(statement string) {
	h.Helper()
	if h.store.IsSQLite() {
		h.must(h.store.InTx(h.Context(), func(ctx context.Context) error { return execute(ctx, statement) }))
		return
	}
	_, err := openURL(h.T, h.url).ExecContext(h.Context(), statement)
	h.must(err)
}
