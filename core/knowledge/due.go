package knowledge

import (
	"context"
	"errors"
	"iter"
	"time"

	"parley/core/system"
)

// Queue is the port to what runs [Worker.Work].
type Queue interface {
	// Enqueue has a kind of work done for the workspace. It joins the
	// transaction of ctx, which holds the workspace's lock.
	Enqueue(ctx context.Context, workspaceID, work string) error
}

// The kinds of work. Each has workers of its own, so that neither a slow site
// nor a slow embedding model keeps files waiting.
const (
	// FetchWork is about sources, and documents with an address.
	FetchWork = "fetch"
	// ExtractWork is about files and texts until they are split.
	ExtractWork = "extract"
	// IndexWork brings documents into the index, and out of it.
	IndexWork = "index"
)

// AllWork are the kinds of work.
func AllWork() []string { return []string{FetchWork, ExtractWork, IndexWork} }

// DueWork is a kind of work that is due in a workspace.
type DueWork struct{ WorkspaceID, Work string }

// DueStore is the port to what is due.
type DueStore interface {
	// DueDocument returns the document that a kind of work goes on with: first
	// what is to be removed, then what was uploaded, then pages. Those of the
	// sources in skip are left out.
	DueDocument(ctx context.Context, workspaceID, work string, now time.Time, skip []string) (Document, error)
	DueSource(ctx context.Context, workspaceID string, now time.Time) (Source, error)
	// WorkspacesDue reads the work that is due in all workspaces, a portion at a time.
	WorkspacesDue(ctx context.Context, access system.Access, now time.Time) iter.Seq2[DueWork, error]
}

// WorkOff works off what is due in a workspace, each kind for about one slice:
// for callers without a queue.
func (s *Worker) WorkOff(ctx context.Context, workspaceID string) (more bool, err error) {
	waits := map[string]bool{} // for a site
	for _, work := range AllWork() {
		_, pause, err := s.Work(ctx, workspaceID, work)
		if err != nil {
			return false, err
		}
		waits[work] = pause > 0
	}
	for _, work := range AllWork() { // one kind makes work for another
		due, err := s.isDue(ctx, workspaceID, work)
		if err != nil || due && !waits[work] {
			return due, err
		}
	}
	return false, nil
}

// Sweep enqueues all work that is due: what waited for its time to come, and what a crash left behind. And it counts the answers of
// receipts for good whose time has come.
func (s *Worker) Sweep(ctx context.Context) error {
	var failures []error
	for d, err := range s.due.WorkspacesDue(ctx, s.system, s.now()) {
		if err != nil {
			failures = append(failures, err)
			break
		}
		failures = append(failures, s.workspaces.InTx(ctx, func(ctx context.Context) error {
			if _, err := s.workspaces.lock(ctx, d.WorkspaceID); err != nil {
				return err
			}
			return s.workspaces.enqueue(ctx, d.WorkspaceID, d.Work)
		}))
	}
	failures = append(failures, s.removals.countAgain(ctx))
	return errors.Join(failures...)
}
