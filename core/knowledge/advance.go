package knowledge

import (
	"context"
	"errors"
	"time"

	"parley/core/fault"
)

// advance takes a document through a step. What goes wrong with the document is
// written to it, and no error: it then has failed, or waits for another try.
func (s *Worker) advance(ctx context.Context, d Document, step func(context.Context, *Document) error) (Document, error) {
	var err error
	if d.State == Removing {
		err = s.removals.finish(ctx, d)
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

// readOnly takes a document to Indexing, where other workers go on with it.
func (s *Worker) readOnly(ctx context.Context, d *Document) error {
	bot, err := s.workspaces.chatbot(ctx, d.WorkspaceID, d.ChatbotID)
	if err != nil {
		return err
	}
	if err := s.reader.read(ctx, bot, d); err != nil || d.State != Indexing {
		return err
	}
	next, now := *d, s.now()
	next.DueAt = &now
	err = s.workspaces.change(ctx, d.WorkspaceID, []string{IndexWork}, func(ctx context.Context) error {
		return taken(s.documents.UpdateDocument(ctx, d.WorkspaceID, Indexing, next, false))
	})
	if err == nil {
		*d = next
	}
	return err
}

// process takes a document through the steps that it has not taken yet. Each
// step is in the database before the next begins, so that who takes over goes
// on from there.
func (s *Worker) process(ctx context.Context, d *Document) error {
	bot, err := s.workspaces.chatbot(ctx, d.WorkspaceID, d.ChatbotID)
	if err != nil {
		return err
	}
	if d.State != Indexing {
		if err := s.reader.read(ctx, bot, d); err != nil || d.State != Indexing {
			return err
		}
	}
	return s.indexer.put(ctx, bot, d)
}

// postpone writes down why a document failed, and when it is tried again if
// that can help.
func (s *Worker) postpone(ctx context.Context, d Document, cause error) (Document, error) {
	failure := fault.As(cause)
	now := s.now()
	from := d.State
	d.Attempts++
	d.Reason, d.UpdatedAt = reason(failure), now
	if d.State == Removing {
		due := now.Add(pause(d.Attempts, failure.RetryAfter))
		s.log.Warn("document not removed yet", "document_id", d.ID, "error", cause)
		return d, s.documents.PostponeRemoval(ctx, d.WorkspaceID, d.ID, d.Attempts, due)
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
	return d, taken(s.documents.UpdateDocument(ctx, d.WorkspaceID, from, d, false))
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
