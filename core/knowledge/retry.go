package knowledge

import (
	"context"
	"time"

	"parley/core/fault"
)

// Waits reports whether the document has been tried and waits for another try.
func (d *Document) Waits() bool { return d.DueAt != nil && (d.Attempts > 0 || d.Reason != "") }

// postpone writes down why a document failed, and when it is tried again if
// that can help.
func (s *Worker) postpone(ctx context.Context, d Document, cause error) (Document, error) {
	failure := fault.As(cause)
	now := s.now()
	from := d.State
	if !waits(failure) {
		d.Attempts++
	}
	d.Begun = 0
	d.Reason, d.UpdatedAt = reason(failure), now
	if d.State == Removing {
		due := now.Add(pause(d.Attempts, failure.RetryAfter))
		s.log.Log(ctx, fault.Level(cause), "document not removed yet", "document_id", d.ID, "error", cause)
		return d, s.documents.PostponeRemoval(ctx, d.WorkspaceID, d.ID, d.Attempts, due)
	}
	d.DueAt = nil
	if isTransient(failure.Kind) && d.Attempts < mostAttempts {
		due := now.Add(pause(d.Attempts, failure.RetryAfter))
		d.DueAt = &due
		if d.State != Indexing {
			d.State = Pending
		}
	} else {
		d.State = Failed
	}
	s.log.Log(ctx, fault.Level(cause), "document postponed", "document_id", d.ID, "state", d.State, "attempts", d.Attempts, "error", cause)
	return d, s.update(ctx, from, d, d.State == Failed)
}

// reason is what the owner of a document reads.
func reason(failure *fault.Error) string {
	if failure.Kind == fault.Internal {
		return "Something went wrong on this server, and not with the document. Its operator has been told."
	}
	return failure.Message
}

// waits reports whether a document waits for the operator for as long as it takes. What else fails
// may do so because of the document.
func waits(failure *fault.Error) bool {
	switch failure.Code() {
	case fault.ModelFailed, fault.ModelKeyRejected, fault.ModelUnknown, fault.ModelUnpaid:
		return failure.OperatorMustAct()
	}
	return failure.OperatorMustAct() && failure.Kind == fault.Unavailable
}

// isTransient reports whether a failure of this kind may pass by itself.
func isTransient(kind fault.Kind) bool {
	switch kind {
	case fault.Upstream, fault.Unavailable, fault.Internal, fault.RateLimited:
		return true
	}
	return false
}

// pause is the time before the next attempt: twice the last one, or what the
// other side asked for.
func pause(attempts int, asked time.Duration) time.Duration {
	d := min(firstPause<<min(max(attempts-1, 0), 20), lastPause)
	return max(d, min(asked, 24*time.Hour))
}
