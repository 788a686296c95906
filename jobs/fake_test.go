package jobs

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"parley/store"
)

// worker does a few units per slice, and keeps a record.
type worker struct {
	store *store.Store
	most  int // units per slice
	// slice, if set, runs in each slice before its units are done.
	slice func(ctx context.Context, workspaceID string) error
	// finishing, if set, runs between the last look for work and the
	// completion.
	finishing func()

	mu       sync.Mutex
	slices   []string // the workspaces, in the order of their slices
	now      map[string]int
	together int // the most slices at one time in one workspace
}

func (h *fixture) worker(slice func(ctx context.Context, workspaceID string) error) *worker {
	return &worker{store: h.store, most: 1, slice: slice, now: map[string]int{}}
}

func (w *worker) begin(workspaceID string) (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.slices = append(w.slices, workspaceID)
	w.now[workspaceID]++
	w.together = max(w.together, w.now[workspaceID])
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.now[workspaceID]--
	}
}

// Work does the due work of one slice.
func (w *worker) Work(ctx context.Context, workspaceID, _ string) (more bool, pause time.Duration, err error) {
	defer w.begin(workspaceID)()
	if w.slice != nil {
		if err := w.slice(ctx, workspaceID); err != nil {
			return false, 0, err
		}
	}
	err = w.store.InTx(ctx, func(ctx context.Context) error {
		if _, err := w.store.LockWorkspace(ctx, workspaceID); err != nil {
			return err
		}
		units, err := unitsOf(ctx, workspaceID)
		done := min(units, w.most)
		more = units > done
		if err != nil || done == 0 {
			return err
		}
		return execute(ctx, fmt.Sprintf("UPDATE due SET units = units - %d WHERE workspace = '%s'", done, workspaceID))
	})
	return more, 0, err
}

// Finish completes the job if nothing is due.
func (w *worker) Finish(ctx context.Context, workspaceID, _ string, complete func(context.Context) error) (more bool, err error) {
	err = w.store.InTx(ctx, func(ctx context.Context) error {
		if _, err := w.store.LockWorkspace(ctx, workspaceID); err != nil {
			return err
		}
		units, err := unitsOf(ctx, workspaceID)
		if more = units > 0; more || err != nil {
			return err
		}
		if w.finishing != nil {
			w.finishing()
		}
		return complete(ctx)
	})
	return more, err
}

func (w *worker) order() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.slices...)
}

// counted counts the slices that one of several queues has run.
type counted struct {
	*worker
	n atomic.Int32
}

// Work counts the slice.
func (c *counted) Work(ctx context.Context, workspaceID, work string) (bool, time.Duration, error) {
	c.n.Add(1)
	return c.worker.Work(ctx, workspaceID, work)
}

func (c *counted) slices() int { return int(c.n.Load()) }
