package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"parley/internal/intx"
)

var errTest = errors.New("refused by the test")

// never is a poll interval that no test waits for, so that only wake-ups count.
const never = time.Hour

func TestEnqueue(t *testing.T) {
	onBothDatabases(t, func(h *fixture) {
		h.workspaces("ws_a", "ws_b")
		q := h.queue(Config{Poll: never})
		w := h.worker(nil)

		h.Run("a job runs if its transaction commits, and never if it rolls back", func(t *testing.T) {
			if err := h.adding(q, "ws_b", 1, errTest); !errors.Is(err, errTest) {
				t.Fatalf("the transaction ends with %v", err)
			}
			h.add(q, "ws_a", 1)
			stop := h.run(q, w)
			eventually(t, "the committed job is completed", func() bool { return h.jobs("completed") == 1 })
			if err := h.adding(q, "ws_b", 1, errTest); !errors.Is(err, errTest) {
				t.Fatalf("the transaction ends with %v", err)
			}
			h.add(q, "ws_a", 1)
			eventually(t, "the second committed job is completed", func() bool { return h.jobs("completed") == 2 })
			stop()
			if slices.Contains(w.order(), "ws_b") {
				t.Errorf("the slices were of %v", w.order())
			}
		})

		h.Run("a workspace has one job, however often it is enqueued", func(t *testing.T) {
			for range 3 {
				h.add(q, "ws_a", 1)
			}
			h.must(h.store.InTx(t.Context(), func(ctx context.Context) error {
				return errors.Join(q.Enqueue(ctx, "ws_a", someWork), q.Enqueue(ctx, "ws_b", someWork), q.Enqueue(ctx, "ws_a", someWork))
			}))
			if n := h.jobs("available"); n != 2 {
				t.Errorf("%d jobs are queued, want 2, one per workspace", n)
			}
		})

		h.Run("enqueueing outside a transaction is refused", func(t *testing.T) {
			if q.Enqueue(t.Context(), "ws_a", someWork) == nil || q.Enqueue(intx.Mark(t.Context()), "ws_a", someWork) == nil {
				t.Error("a job was enqueued without its work")
			}
		})

		h.Run("Check reports whether the database answers", func(t *testing.T) {
			if err := q.Check(t.Context()); err != nil {
				t.Error(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if q.Check(ctx) == nil {
				t.Error("Check succeeded although its caller has gone")
			}
		})
	})
}

func TestOpenRefuses(t *testing.T) {
	some := map[string]int{someWork: 1}
	for name, config := range map[string]Config{
		"no database":           {Workers: some},
		"no workers":            {Postgres: "postgres://host/db"},
		"a URL of another kind": {Workers: some, Postgres: "mysql://host/db"},
		"a URL with a secret":   {Workers: some, Postgres: "postgres://user:hunter2@%zz"},
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			q, err := Open(t.Context(), config)
			if err == nil {
				_ = q.Close()
				t.Fatal("it was opened")
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the message %q shows a secret", err)
			}
		})
	}
}

// TestNoWakeUpIsLost polls never: work that is added while its job is being
// completed must wake a new job, or be seen by the running one.
// refusing is a database that refuses the queue a few times.
type refusing struct {
	database
	left int
}

func (r *refusing) run(ctx context.Context, config *river.Config, w *runner) error {
	if r.left--; r.left >= 0 {
		return errTest
	}
	return r.database.run(ctx, config, w)
}

func TestRunBeginsAgain(t *testing.T) {
	onBothDatabases(t, func(h *fixture) {
		h.Run("a queue that the database refuses at first runs its jobs all the same", func(t *testing.T) {
			h.workspaces("ws_a")
			log := &lines{}
			q := h.queue(Config{Poll: never, Log: logTo(log)})
			q.on, q.pause = &refusing{q.on, 2}, time.Millisecond
			h.add(q, "ws_a", 1)
			h.run(q, h.worker(nil))
			eventually(t, "the job is completed", func() bool { return h.jobs("completed") == 1 })
			if n := strings.Count(log.String(), "background work stopped"); n != 2 {
				t.Errorf("it was logged %d times: %s", n, log.String())
			}
		})
	})
}

func TestNoWakeUpIsLost(t *testing.T) {
	const adders, times = 4, 100
	onBothDatabases(t, func(h *fixture) {
		h.workspaces("ws_a")
		q := h.queue(Config{Poll: never})
		w := h.worker(nil)
		w.most = adders * times // units per slice, so that each slice ends in a completion
		h.run(q, w)
		var all sync.WaitGroup
		for range adders {
			all.Go(func() {
				for range times {
					if err := h.adding(q, "ws_a", 1, nil); err != nil {
						h.Error(err)
					}
				}
			})
		}
		all.Wait()
		eventually(h.T, "nothing is due and no job is left", func() bool {
			return h.due("ws_a") == 0 && h.jobs("running")+h.jobs("available") == 0
		})
		if w.together != 1 {
			h.Errorf("there were %d slices at one time", w.together)
		}
	})
}

func TestWorkThatComesWhileItsJobIsCompletedWaits(t *testing.T) {
	onBothDatabases(t, func(h *fixture) {
		h.workspaces("ws_a")
		q := h.queue(Config{Poll: never})
		w := h.worker(nil)
		added := make(chan error, 1)
		w.finishing = sync.OnceFunc(func() {
			go func() { added <- h.adding(q, "ws_a", 1, nil) }()
			// On SQLite it waits for the writer, whatever locks exist.
			if !h.store.IsSQLite() {
				eventually(h.T, "adding waits, or does not", func() bool { return len(added) > 0 || h.waiting() > 0 })
			}
		})
		h.add(q, "ws_a", 1)
		h.run(q, w)
		h.must(receive(h.T, "the work is added", added))
		eventually(h.T, "a new job does it", func() bool { return h.due("ws_a") == 0 && h.jobs("completed") == 2 })
	})
}

// waiting counts the connections that wait for a lock in the test's database.
func (h *fixture) waiting() (n int) {
	h.Helper()
	db := openURL(h.T, h.url) // the server's role does not see what others wait for
	h.must(db.QueryRowContext(h.Context(), "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()").Scan(&n))
	h.must(db.Close())
	return n
}

func TestWorkspacesAlternate(t *testing.T) {
	onBothDatabases(t, func(h *fixture) {
		h.workspaces("ws_large", "ws_small")
		q := h.queue(Config{Workers: map[string]int{someWork: 1}, Poll: never})
		added := make(chan struct{})
		var once sync.Once
		w := h.worker(func(context.Context, string) error {
			// The small one arrives while the large one is at work.
			once.Do(func() { h.add(q, "ws_small", 1); close(added) })
			return nil
		})
		h.add(q, "ws_large", 10_000)
		h.run(q, w)
		receive(h.T, "the small workspace's work is added", added)
		eventually(h.T, "the small workspace is served", func() bool { return h.due("ws_small") == 0 })
		place := slices.Index(w.order(), "ws_small")
		if place < 1 || place > 2 {
			h.Errorf("the small workspace's slice has index %d in %v", place, w.order())
		}
		if left := h.due("ws_large"); left < 9_000 {
			h.Errorf("the large workspace has only %d units left", left)
		}
		eventually(h.T, "the large workspace goes on", func() bool { return slices.Contains(w.order()[place+1:], "ws_large") })
	})
}

func TestManyWorkspacesGoRound(t *testing.T) {
	const count, slices = 5, 4
	onBothDatabases(t, func(h *fixture) {
		q := h.queue(Config{Workers: map[string]int{someWork: 1}, Poll: never})
		for i := range count {
			id := fmt.Sprint("ws_", i)
			h.workspaces(id)
			h.add(q, id, slices)
		}
		w := h.worker(nil)
		h.run(q, w)
		eventually(h.T, "all is done", func() bool { return h.jobs("completed") == count })
		seen := map[string]int{}
		for i, id := range w.order() {
			// River returns jobs to the queue in batches, so a workspace may be
			// one slice ahead of the slowest, but not two.
			seen[id]++
			for other := range count {
				if ahead := seen[id] - seen[fmt.Sprint("ws_", other)]; ahead > 2 {
					h.Errorf("slice %d gives %s its %d, %d ahead of another: %v", i, id, seen[id], ahead, w.order())
				}
			}
		}
	})
}
