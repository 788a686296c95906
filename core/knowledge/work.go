package knowledge

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/system"
	"parley/internal/trace"
)

// Worker does the work that is due, whoever asks for it.
type Worker struct {
	mover
	workspaces *workspaces
	due        DueStore
	system     system.Access
	crawler    *crawler
	reader     *reader
	indexer    *Indexer
	removals   *Removals
	busy       busySites
	begun      beginnings
	log        *slog.Logger
}

const (
	// sliceTime is how long a worker works for one workspace before it works for
	// another.
	sliceTime = 5 * time.Second
	// mostAttempts is how often something is tried before an owner must act,
	// with pauses from firstPause to lastPause: about four hours in all.
	mostAttempts = 8
	firstPause   = 30 * time.Second
	lastPause    = 2 * time.Hour
	// whileWaited is how long a document that its adder waits for is left to
	// the adder alone.
	whileWaited = 30 * time.Second
	// mostOvertaken is how many versions of a document one worker works on in a row.
	mostOvertaken = 10
	// whileAdded is how long a document is left to the worker that adds its passages.
	whileAdded = 5 * time.Second
)

// Work works off what is due of a kind in a workspace, for about one slice. One
// caller at a time may do so for a workspace and kind. More says that something
// is due still, and pause for how long the sites that it is on want no request.
func (s *Worker) Work(ctx context.Context, workspaceID, work string) (more bool, pause time.Duration, err error) {
	ctx = audit.In(ctx, workspaceID)
	until := s.now().Add(sliceTime)
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

// workOnce works on what is due first, if anything is.
func (s *Worker) workOnce(ctx context.Context, workspaceID, work string) (worked bool, err error) {
	if work == FetchWork {
		source, err := s.due.DueSource(ctx, workspaceID, s.now())
		if err == nil {
			return true, s.crawler.sync(ctx, source)
		}
		if !fault.Is(err, fault.NotFound) {
			return false, err
		}
	}
	document, err := s.due.DueDocument(ctx, workspaceID, work, s.now(), s.busy.sources(workspaceID, s.now()))
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
	return true, s.take(ctx, document, step)
}

// advance takes a document through a step. What goes wrong with the document is
// written to it, and no error: it then has failed, or waits for another try. If
// the document is replaced meanwhile, and left to who works on it, what replaced it
// goes through the step, too.
func (s *Worker) advance(ctx context.Context, d Document, step func(context.Context, *Document) error) (Document, error) {
	for range mostOvertaken {
		after, err := s.attempt(ctx, d, step)
		if !errors.Is(err, errTaken) {
			return after, err
		}
		next, left := s.leftHere(ctx, after)
		if !left {
			return after, nil
		}
		d = next
	}
	return d, nil
}

// leftHere returns the replacement of a document, and whether the worker of the document is
// to go on with it. If it cannot be read, a worker tries again when it is due.
func (s *Worker) leftHere(ctx context.Context, d Document) (Document, bool) {
	now, err := s.documents.Document(ctx, d.WorkspaceID, d.ChatbotID, d.ID)
	return now, err == nil && now.State == Pending && now.Version > d.Version && inProgress(now, s.now())
}

// attempt is advance for one version of a document. If it ends without a result, its count is
// taken back.
func (s *Worker) attempt(ctx context.Context, d Document, step func(context.Context, *Document) error) (after Document, err error) {
	ctx, span := trace.Start(ctx, "document")
	span.Text(trace.DocumentID, d.ID)
	defer func() {
		span.Text(trace.DocumentState, string(after.State))
		span.End()
	}()
	if d.State == Removing {
		err = s.removals.finish(ctx, d)
	} else {
		err = step(ctx, &d)
	}
	if d.State == Fetching && fault.Is(err, fault.RateLimited) && ctx.Err() == nil {
		err = s.postponeHost(ctx, &d, err)
	}
	after = d
	if err != nil && ctx.Err() == nil && !errors.Is(err, errTaken) {
		after, err = s.postpone(ctx, d, err)
	}
	if err == nil {
		return after, nil
	}
	s.takeBack(ctx, d)
	if !errors.Is(err, errTaken) && ctx.Err() != nil {
		return d, context.Cause(ctx)
	}
	return d, err
}

func (s *Worker) isDue(ctx context.Context, workspaceID, work string) (bool, error) {
	var err error = fault.New(fault.NotFound, "No source is due.")
	if work == FetchWork {
		_, err = s.due.DueSource(ctx, workspaceID, s.now())
	}
	if fault.Is(err, fault.NotFound) {
		_, err = s.due.DueDocument(ctx, workspaceID, work, s.now(), nil)
	}
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// Finish calls complete in one transaction under the workspace's lock, unless
// something has become due: then more is true. Callers that add work
// hold the lock, too, so that no work is missed.
func (s *Worker) Finish(ctx context.Context, workspaceID, work string, complete func(context.Context) error) (more bool, err error) {
	err = s.workspaces.InTx(ctx, func(ctx context.Context) error {
		_, err := s.workspaces.lock(ctx, workspaceID)
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
