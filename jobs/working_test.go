package jobs

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"parley/internal/health"
)

// notWorking fails unless the queue says why it does not work, and returns that.
func notWorking(t *testing.T, q *Queue, says string) *health.Reason {
	t.Helper()
	var reason *health.Reason
	err := q.Working(t.Context())
	if !errors.As(err, &reason) || !strings.Contains(reason.Sentence, says) {
		t.Fatalf("it says %v", err)
	}
	return reason
}

func TestWorking(t *testing.T) {
	onBothDatabases(t, func(h *fixture) {
		h.workspaces("ws_a", "ws_b")
		h.Run("a queue that does not run does not work, and one that runs does", func(t *testing.T) {
			q := h.queue(Config{Poll: never})
			if reason := notWorking(t, q, "takes no jobs"); !reason.Pending {
				t.Error("at the start somebody must act")
			}
			q.on, q.pause = &refusing{q.on, 1}, time.Hour
			stop := h.run(q, h.worker(nil))
			eventually(t, "it was refused", func() bool { return q.stopped.Load() != nil })
			if reason := notWorking(t, q, "takes no jobs"); reason.Pending || !errors.Is(reason, errTest) {
				t.Errorf("of a queue that was refused it says %+v", reason)
			}
			stop()
			stop = h.run(q, h.worker(nil))
			eventually(t, "it works", func() bool { return q.Working(t.Context()) == nil })
			stop() // or it takes the jobs of the others
		})
		h.Run("a due job that waits is no fault while others have their turn, and one while none begins", func(t *testing.T) {
			q := h.queue(Config{Poll: never})
			q.running.Store(true) // nobody takes the jobs
			h.add(q, "ws_a", 1)
			h.must(q.Working(t.Context()))
			ago := "now() - interval '1 hour'"
			if h.store.IsSQLite() {
				ago = "strftime('%Y-%m-%d %H:%M:%f', 'now', '-1 hour')"
			}
			change := func(statement string) {
				t.Helper()
				h.must(h.store.InTx(t.Context(), func(ctx context.Context) error { return execute(ctx, statement) }))
			}
			change("UPDATE river_job SET scheduled_at = " + ago)
			notWorking(t, q, "of kind "+someWork)
			h.add(q, "ws_b", 1)
			change("UPDATE river_job SET state = 'running', attempted_at = scheduled_at WHERE CAST(args AS text) LIKE '%ws_b%'")
			h.must(q.Working(t.Context()))
			change("UPDATE river_job SET attempted_at = " + ago + " WHERE state = 'running'")
			notWorking(t, q, "of kind "+someWork)
		})
		h.Run("a queue that cannot be looked at says so", func(t *testing.T) {
			q := h.queue(Config{Poll: never})
			q.running.Store(true)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			var reason *health.Reason
			if err := q.Working(ctx); !errors.As(err, &reason) || !strings.Contains(reason.Sentence, "cannot be looked at") {
				t.Errorf("it says %v", err)
			}
		})
	})
}
