package jobs

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"parley/store"
	"parley/store/storetest"
)

const childVariable = "PARLEY_TEST_DIE_IN_A_SLICE"

// childOf returns the database of the test that started this process.
func childOf() string { return os.Getenv(childVariable) }

// dieInASlice works on a database until the parent kills it.
func dieInASlice(url string) {
	ctx := context.Background()
	s, err := store.Open(ctx, url)
	if err != nil {
		panic(err)
	}
	q, err := openQueue(ctx, s, url, Config{})
	if err != nil {
		panic(err)
	}
	panic(q.Run(ctx, deadly{}))
}

// deadly says that a slice has begun, and never ends it.
type deadly struct{}

// Work does not return.
func (deadly) Work(context.Context, string, string) (bool, time.Duration, error) {
	os.Stdout.WriteString("working\n")
	select {}
}

// Finish is never reached.
func (deadly) Finish(context.Context, string, string, func(context.Context) error) (bool, error) {
	panic("Finish was called")
}

// killInASlice runs a child until it is in a slice, and kills it there.
func (h *fixture) killInASlice() {
	h.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childVariable+"="+h.url)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	h.must(err)
	h.must(child.Start())
	working := make(chan error, 1)
	go func() {
		_, err := out.Read(make([]byte, 1))
		working <- err
	}()
	err = receive(h.T, "the child is in a slice", working)
	_ = child.Process.Kill()
	_ = child.Wait()
	h.must(err)
}

func TestDeathOnSQLite(t *testing.T) {
	t.Parallel()
	t.Run("the next start runs a dead process's jobs without waiting for the lease", func(t *testing.T) {
		t.Parallel()
		url := sqliteURL(t)
		before := newFixture(t, url)
		before.workspaces("ws_a")
		q := before.queue(Config{Poll: never})
		before.add(q, "ws_a", 2)
		before.killInASlice()
		if n := before.jobs("running"); n != 1 {
			t.Fatalf("%d jobs run", n)
		}

		h := openFixture(t, url)
		w := h.worker(nil)
		h.run(h.queue(Config{Poll: never, Lease: time.Hour}), w)
		eventually(t, "the work is done", func() bool { return h.due("ws_a") == 0 && h.jobs("completed") == 1 })
	})
}

func TestDeathOnPostgres(t *testing.T) {
	t.Parallel()
	t.Run("another process runs a dead process's jobs when the lease has expired", func(t *testing.T) {
		t.Parallel()
		h := newFixture(t, storetest.Postgres(t))
		h.workspaces("ws_a", "ws_b")
		q := h.queue(Config{Lease: time.Second})
		h.add(q, "ws_a", 2)
		h.killInASlice()
		// For 15 s the others would still believe that the dead process leads.
		h.must(h.store.InTx(t.Context(), func(ctx context.Context) error { return execute(ctx, "DELETE FROM river_leader") }))
		// River checks for expired leases when a leader starts, and then every 30 s.
		eventually(t, "the lease has expired", func() bool { return h.jobs("running' AND attempted_at < now() - interval '1 second") == 1 })

		h.run(q, h.worker(nil))
		h.add(q, "ws_b", 1)
		eventually(t, "others go on meanwhile", func() bool { return h.due("ws_b") == 0 })
		eventually(t, "the work is done", func() bool { return h.due("ws_a") == 0 && h.jobs("completed") == 2 })
	})
}

func TestTwoQueuesShareTheWork(t *testing.T) {
	t.Parallel()
	h := newFixture(t, storetest.Postgres(t))
	ids := []string{"ws_a", "ws_b", "ws_c", "ws_d"}
	h.workspaces(ids...)
	w := h.worker(nil) // shared by both, so that it sees overlaps
	first, second := h.queue(Config{Poll: never}), h.queue(Config{Poll: never})
	var of [2]counted
	of[0].worker, of[1].worker = w, w
	for _, id := range ids {
		h.add(first, id, 10)
	}
	h.run(first, &of[0])
	h.run(second, &of[1])
	eventually(t, "all is done", func() bool { return h.jobs("completed") == len(ids) })
	if w.together != 1 {
		t.Errorf("a workspace had %d slices at one time", w.together)
	}
	for i := range of {
		if of[i].slices() == 0 {
			t.Errorf("queue %d did nothing", i)
		}
	}
}
