package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/intx"
	"parley/internal/trace"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// runner runs one slice of a workspace's work for River. It hides errors from
// River, which would add each to the job's row and use up an attempt, because a
// job must never be given up.
type runner struct {
	river.WorkerDefaults[args]
	worker Worker
	// failing, unless nil, is told of the kind of each slice that failed.
	failing  func(work string)
	complete func(ctx context.Context, job *river.Job[args]) error
	log      *slog.Logger
	// running is true while River takes jobs.
	running *atomic.Bool

	mu       sync.Mutex
	failures map[args]int // in a row
}

// Work runs a slice. A job with more to do goes to the end of the queue, which is
// ordered by the time at which jobs were queued.
func (r *runner) Work(ctx context.Context, job *river.Job[args]) error {
	more, pause, err := r.slice(ctx, job)
	switch {
	case errors.Is(ctx.Err(), context.Canceled): // the queue is stopping
		more = more || err != nil
	case err != nil:
		return river.JobSnooze(r.failed(job.Args, err))
	}
	r.succeeded(job.Args)
	if more {
		return river.JobSnooze(pause)
	}
	return nil // Finish has completed it
}

func (r *runner) slice(ctx context.Context, job *river.Job[args]) (more bool, pause time.Duration, err error) {
	ctx, span := trace.Begin(ctx, "job "+job.Args.Work)
	span.Text(trace.WorkspaceID, job.Args.WorkspaceID)
	defer func() {
		if value := recover(); value != nil {
			err = newPanicError(value)
		}
		if err != nil {
			span.Fail("job_failed")
		}
		span.End()
	}()
	more, pause, err = r.worker.Work(ctx, job.Args.WorkspaceID, job.Args.Work)
	if more || err != nil {
		return more, pause, err
	}
	completed := false
	more, err = r.worker.Finish(ctx, job.Args.WorkspaceID, job.Args.Work, func(ctx context.Context) error {
		completed = true
		return r.complete(ctx, job)
	})
	if err == nil && !more && !completed {
		err = errors.New("work was finished without completing its job")
	}
	return more, 0, err
}

// failed logs the failure and returns the delay before the next attempt at the
// workspace's work: a second, and twice as long each time, up to a minute.
func (r *runner) failed(of args, err error) time.Duration {
	r.mu.Lock()
	r.failures[of]++
	times := r.failures[of]
	r.mu.Unlock()
	if r.failing != nil {
		r.failing(of.Work)
	}

	delay := backoff(times)
	r.log.Warn("background work failed", "workspace_id", of.WorkspaceID, "work", of.Work, "times", times, "again_in_ms", delay.Milliseconds(), "error", err)
	var panicked *panicError
	if errors.As(err, &panicked) {
		r.log.Error("background work panicked", "workspace_id", of.WorkspaceID, "work", of.Work, "stack", panicked.stack)
	}
	return delay
}

func (r *runner) succeeded(of args) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.failures, of)
}

// backoff returns the delay after a number of failures in a row, less up to a
// quarter, so that workspaces that failed together do not retry together.
func backoff(failures int) time.Duration {
	delay := time.Minute
	if failures <= 6 {
		delay = time.Second << (failures - 1)
	}
	return delay - rand.N(delay/4)
}

// panicError is the error of a panic. It keeps the text of runtime errors only,
// because any other value may hold text of a document.
type panicError struct {
	text  string
	stack string
}

func newPanicError(value any) *panicError {
	text := fmt.Sprintf("panic with a %T", value)
	if err, ok := value.(runtime.Error); ok {
		text = err.Error()
	}
	return &panicError{text: text, stack: string(debug.Stack())}
}

// Error names the panic.
func (e *panicError) Error() string { return e.text }

// complete completes a job in the store's transaction, unless another process
// has taken it over.
func (c *client[T]) complete(ctx context.Context, job *river.Job[args]) error {
	tx, ok := intx.Tx(ctx)
	if !ok {
		return errors.New("complete a job only in the transaction that finds no more work; the context has no transaction")
	}
	return c.within(tx, func(on T) error {
		now, err := c.inserts.JobGetTx(ctx, on, job.ID)
		if err != nil {
			return err
		}
		if now.State != rivertype.JobStateRunning || now.Attempt != job.Attempt {
			return nil
		}
		_, err = river.JobCompleteTx[riverdriver.Driver[T]](ctx, on, job)
		return err
	})
}
