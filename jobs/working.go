package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"parley/internal/health"
)

// stuckAfter is how long a due job may wait while no job of its kind begins, as long as no
// job may run for longer.
const stuckAfter = 2 * time.Minute

// beginsWithin is how long a queue may take to begin.
const beginsWithin = 10 * time.Second

var errNotRunning = errors.New("the queue has not begun")

// Working fails unless this process takes jobs, and the queue gets on: a job of a kind that is
// due waits for long only while others of the kind have their turn. The error is a
// [health.Reason].
func (q *Queue) Working(ctx context.Context) error {
	if !q.running.Load() {
		cause, pending := errNotRunning, time.Since(q.opened) < beginsWithin
		if stopped := q.stopped.Load(); stopped != nil && *stopped != nil {
			cause, pending = *stopped, false
		}
		return &health.Reason{Sentence: "This server takes no jobs: files and pages wait to be read. It tries again by itself.", Cause: cause, Pending: pending}
	}
	for work := range q.config.Workers {
		waited, err := q.stuck(ctx, work)
		if err != nil {
			return &health.Reason{Sentence: "The queue of jobs cannot be looked at; the log says why.", Cause: err}
		}
		if waited > 0 {
			return &health.Reason{Sentence: fmt.Sprintf("The oldest job of kind %s has waited for %s, and none of its kind begins.", work, waited.Truncate(time.Second))}
		}
	}
	return nil
}

// stuck returns for how long a due job of a kind has waited while none began, or zero.
func (q *Queue) stuck(ctx context.Context, work string) (time.Duration, error) {
	oldest, err := q.on.oldest(ctx, rivertype.JobStateAvailable, work, river.SortOrderAsc)
	if err != nil || oldest == nil || time.Since(oldest.ScheduledAt) < stuckAfter {
		return 0, err
	}
	moved := oldest.ScheduledAt
	for _, state := range []rivertype.JobState{rivertype.JobStateRunning, rivertype.JobStateCompleted, rivertype.JobStateAvailable} {
		latest, err := q.on.oldest(ctx, state, work, river.SortOrderDesc)
		if err != nil {
			return 0, err
		}
		if latest == nil {
			continue
		}
		for _, at := range []*time.Time{latest.AttemptedAt, latest.FinalizedAt} {
			if at != nil && at.After(moved) {
				moved = *at
			}
		}
	}
	if waited := time.Since(moved); waited >= max(stuckAfter, q.config.Lease) {
		return time.Since(oldest.ScheduledAt), nil
	}
	return 0, nil
}
