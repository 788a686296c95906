package knowledge

import (
	"context"
	"errors"
	"time"

	"parley/core/audit"
	"parley/core/fault"
)

const (
	// turnTime is how long one workspace is worked for before others have their
	// turn.
	turnTime = 5 * time.Second
	// mostAttempts is how often something is tried before an owner must act,
	// with pauses from firstPause to lastPause: about four hours in all.
	mostAttempts = 8
	firstPause   = 30 * time.Second
	lastPause    = 2 * time.Hour
	// whileWaited is how long a document that its adder waits for is left to
	// the adder alone.
	whileWaited = 30 * time.Second
	// whileAdded is how long a document is left to who adds its passages.
	whileAdded = 5 * time.Second
)

// Work works off what is due of a kind in a workspace, for about one turn. One
// caller at a time may do so for a workspace and kind. More says that something
// is due still, and pause for how long the sites that it is on want no request.
func (s *Service) Work(ctx context.Context, workspaceID, work string) (more bool, pause time.Duration, err error) {
	ctx = audit.In(ctx, workspaceID)
	until := s.now().Add(turnTime)
	for s.now().Before(until) {
		worked, err := s.workOnce(ctx, workspaceID, work)
		if err != nil {
			return false, 0, err
		}
		if !worked {
			more, err := s.isDue(ctx, workspaceID, work)
			return more, s.busy.pause(workspaceID, s.now()), err
		}
	}
	more, err = s.isDue(ctx, workspaceID, work)
	return more, 0, err
}

// WorkOff works off what is due in a workspace, of each kind for about one turn:
// for who has no queue.
func (s *Service) WorkOff(ctx context.Context, workspaceID string) (more bool, err error) {
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

// workOnce works on what is due first, if anything is.
func (s *Service) workOnce(ctx context.Context, workspaceID, work string) (worked bool, err error) {
	if work == FetchWork {
		source, err := s.store.DueSource(ctx, workspaceID, s.now())
		if err == nil {
			return true, s.sync(ctx, source)
		}
		if !fault.Is(err, fault.NotFound) {
			return false, err
		}
	}
	document, err := s.store.DueDocument(ctx, workspaceID, work, s.now(), s.busy.sources(workspaceID, s.now()))
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	step := s.process
	if work != IndexWork {
		step = s.readOnly
	}
	_, err = s.advance(ctx, document, step)
	return true, err
}

func (s *Service) isDue(ctx context.Context, workspaceID, work string) (bool, error) {
	var err error = fault.New(fault.NotFound, "No source is due.")
	if work == FetchWork {
		_, err = s.store.DueSource(ctx, workspaceID, s.now())
	}
	if fault.Is(err, fault.NotFound) {
		_, err = s.store.DueDocument(ctx, workspaceID, work, s.now(), nil)
	}
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// Finish calls complete in one transaction under the workspace's lock, unless
// something has become due: then more is true. Whoever adds holds the lock
// too, so that nothing falls between the two.
func (s *Service) Finish(ctx context.Context, workspaceID, work string, complete func(context.Context) error) (more bool, err error) {
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		_, err := s.store.LockWorkspace(ctx, workspaceID)
		if fault.Is(err, fault.NotFound) {
			return complete(ctx)
		}
		if err != nil {
			return err
		}
		if more, err = s.isDue(ctx, workspaceID, work); err != nil || more {
			return err
		}
		return complete(ctx)
	})
	return more, err
}

// Sweep enqueues all work that is due: what waited for its time to come, and what a crash left behind. And it counts the answers of
// receipts for good whose time has come.
func (s *Service) Sweep(ctx context.Context) error {
	due, err := s.store.WorkspacesDue(ctx, s.now())
	if err != nil {
		return err
	}
	var failures []error
	for _, d := range due {
		failures = append(failures, s.store.InTx(ctx, func(ctx context.Context) error {
			if _, err := s.store.LockWorkspace(ctx, d.WorkspaceID); err != nil {
				return err
			}
			return s.queue.Enqueue(ctx, d.WorkspaceID, d.Work)
		}))
	}
	failures = append(failures, s.countAgain(ctx))
	return errors.Join(failures...)
}

// advance takes a document through a step. What goes wrong with the document is
// written to it, and no error: it then has failed, or waits for another try.
func (s *Service) advance(ctx context.Context, d Document, step func(context.Context, *Document) error) (Document, error) {
	var err error
	if d.State == Removing {
		err = s.remove(ctx, d)
	} else {
		err = step(ctx, &d)
	}
	if d.State == Fetching && fault.Is(err, fault.RateLimited) && ctx.Err() == nil {
		err = s.leaveHost(ctx, &d, err)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, errTaken) {
		d, err = s.postpone(ctx, d, err)
	}
	switch {
	case err == nil, errors.Is(err, errTaken):
		return d, nil
	case ctx.Err() != nil:
		return d, context.Cause(ctx)
	}
	return d, err
}

// errTaken is that somebody else has moved the document in the meantime.
var errTaken = errors.New("the document has been moved")

// postpone writes down why a document failed, and when it is tried again if
// that can help.
func (s *Service) postpone(ctx context.Context, d Document, cause error) (Document, error) {
	failure := fault.As(cause)
	now := s.now()
	from := d.State
	d.Attempts++
	d.Reason, d.UpdatedAt = reason(failure), now
	if d.State == Removing {
		due := now.Add(pause(d.Attempts, failure.RetryAfter))
		s.log.Warn("document not removed yet", "document_id", d.ID, "error", cause)
		return d, s.store.PostponeRemoval(ctx, d.WorkspaceID, d.ID, d.Attempts, due)
	}
	d.DueAt = nil
	if mayPass(failure.Kind) && d.Attempts < mostAttempts {
		due := now.Add(pause(d.Attempts, failure.RetryAfter))
		d.DueAt = &due
		if d.State != Indexing {
			d.State = Pending
		}
	} else {
		d.State = Failed
	}
	s.log.Info("document postponed", "document_id", d.ID, "state", d.State, "attempts", d.Attempts, "error", cause)
	return d, taken(s.store.UpdateDocument(ctx, d.WorkspaceID, from, d, false))
}

// reason is what the owner of a document reads.
func reason(failure *fault.Error) string {
	if failure.Kind == fault.Internal {
		return "Something went wrong here, not with the document."
	}
	return failure.Message
}

// mayPass reports whether a failure of this kind can pass by itself.
func mayPass(kind fault.Kind) bool {
	switch kind {
	case fault.Upstream, fault.Unavailable, fault.Internal, fault.RateLimited:
		return true
	}
	return false
}

// pause is the time before the next attempt: twice the last one, or what the
// other side asked for.
func pause(attempts int, asked time.Duration) time.Duration {
	d := min(firstPause<<min(attempts-1, 20), lastPause)
	return max(d, min(asked, 24*time.Hour))
}

// taken turns the outcome of moving a document that is not in its state any
// more into errTaken.
func taken(err error) error {
	if fault.Is(err, fault.NotFound) {
		return errTaken
	}
	return err
}
