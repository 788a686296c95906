package jobs

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"parley/store"
)

// held holds every slice of slow work until the test releases it, and records the
// workspaces whose fast work is done.
type held struct {
	store *store.Store
	began chan string // the workspaces of slow slices
	done  chan string // those of fast work
	free  chan struct{}

	mu       sync.Mutex
	running  map[string]int
	together int
}

// Work holds slow work, and does fast work immediately.
func (w *held) Work(ctx context.Context, workspaceID, work string) (more bool, pause time.Duration, err error) {
	if work == "fast" {
		return false, 0, nil
	}
	w.mu.Lock()
	w.running[workspaceID]++
	w.together = max(w.together, w.running[workspaceID])
	w.mu.Unlock()
	w.began <- workspaceID
	select {
	case <-w.free:
	case <-ctx.Done():
	}
	w.mu.Lock()
	w.running[workspaceID]--
	w.mu.Unlock()
	return false, 0, ctx.Err()
}

// Finish completes the job.
func (w *held) Finish(ctx context.Context, workspaceID, work string, complete func(context.Context) error) (more bool, err error) {
	err = w.store.InTx(ctx, complete)
	if err == nil && work == "fast" {
		w.done <- workspaceID
	}
	return false, err
}

func TestKindsOfWork(t *testing.T) {
	onBothDatabases(t, func(h *fixture) {
		const workers, slow = 4, 40
		ids := make([]string, slow)
		for n := range ids {
			ids[n] = fmt.Sprint("ws_slow_", n)
		}
		h.workspaces(append(ids, "ws_other")...)
		w := &held{store: h.store, began: make(chan string, 4*slow), done: make(chan string, slow), free: make(chan struct{}), running: map[string]int{}}
		config := Config{Poll: never, Workers: map[string]int{"slow": workers, "fast": 2}}
		queues := []*Queue{h.queue(config)}
		if !h.store.IsSQLite() {
			queues = append(queues, h.queue(config)) // two processes
		}
		enqueue := func(id, work string) {
			h.must(h.store.InTx(h.Context(), func(ctx context.Context) error {
				if _, err := h.store.LockWorkspace(ctx, id); err != nil {
					return err
				}
				return queues[0].Enqueue(ctx, id, work)
			}))
		}
		for _, q := range queues {
			h.run(q, w)
		}
		for range 3 { // however often work is added, a workspace has one job per kind
			for _, id := range ids {
				enqueue(id, "slow")
			}
		}
		for range workers * len(queues) {
			receive(h.T, "all slow workers are held", w.began)
		}

		h.Run("work of another kind is done while every slow slice is held", func(t *testing.T) {
			enqueue("ws_other", "fast")
			if id := receive(t, "the fast work is done", w.done); id != "ws_other" {
				t.Errorf("it belongs to %s", id)
			}
			if n := len(w.began); n != 0 {
				t.Errorf("%d slow slices have begun meanwhile", n)
			}
		})
		h.Run("so is the fast work of a workspace whose own slow work is held", func(t *testing.T) {
			enqueue(ids[0], "fast")
			receive(t, "the fast work is done", w.done)
		})
		h.Run("each workspace gets one slice per round", func(t *testing.T) {
			close(w.free)
			for range slow - workers*len(queues) {
				receive(t, "the others have their slices", w.began)
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.together != 1 {
				t.Errorf("a workspace had %d slices at once", w.together)
			}
		})
	})
}
