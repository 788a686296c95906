package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	"parley/internal/intx"
)

// args are the arguments of a job.
type args struct {
	WorkspaceID string `json:"workspace_id"`
	// Work is the kind of work, and names River's queue.
	Work string `json:"work"`
}

// Kind names River's kind of job. There is only one.
func (args) Kind() string { return "workspace" }

// InsertOpts makes a workspace's job of a kind unique until it is completed.
// River's own attempts never run out: see [runner].
func (a args) InsertOpts() river.InsertOpts {
	return river.InsertOpts{
		Queue:       a.Work,
		MaxAttempts: math.MaxInt16, // the column is a smallint
		UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
			rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning,
			rivertype.JobStateRetryable, rivertype.JobStateScheduled,
		}},
	}
}

// client is River on one database whose driver has transactions of type T.
type client[T any] struct {
	driver riverdriver.Driver[T]
	// within calls fn with River's view of the store's transaction.
	within func(tx *intx.Transaction, fn func(T) error) error
	// queued reports whether a workspace has a job of a kind, without waiting for
	// anyone. Nil says that inserting waits for nobody.
	queued func(ctx context.Context, on T, workspaceID, work string) (bool, error)
	// announce makes a kind's queues look for jobs once the transaction is
	// committed. River announces inserts, too, but not within 100 ms of another
	// one, even if that was rolled back.
	announce func(ctx context.Context, tx *intx.Transaction, on T, work string) error
	// wake makes a kind's queues look for jobs now.
	wake func(ctx context.Context, work string)
	// counted reads what waits: a row of each kind, with the seconds of the oldest.
	counted func(ctx context.Context, each func(scan func(...any) error) error) error
	// prepare prepares the database for this process.
	prepare func(ctx context.Context) error
	release func() error

	inserts *river.Client[T]
}

// finish makes the client that only inserts.
func (c *client[T]) finish() (database, error) {
	var err error
	c.inserts, err = river.NewClient(c.driver, &river.Config{})
	if err != nil {
		return nil, errors.Join(err, c.release())
	}
	return c, nil
}

func (c *client[T]) enqueue(ctx context.Context, tx *intx.Transaction, workspaceID, work string) error {
	err := c.within(tx, func(on T) error {
		if c.queued != nil {
			if is, err := c.queued(ctx, on, workspaceID, work); is || err != nil {
				return err
			}
		}
		inserted, err := c.inserts.InsertTx(ctx, on, args{workspaceID, work}, nil)
		// The insert has just locked a waiting job, so a queue that looked for
		// jobs may have skipped it.
		if err != nil || inserted.Job.State != rivertype.JobStateAvailable {
			return err
		}
		return c.announce(ctx, tx, on, work)
	})
	if err != nil {
		return fmt.Errorf("enqueueing a job: %w", err)
	}
	return nil
}

// run runs jobs until ctx has ended and then the running slices have ended.
func (c *client[T]) run(ctx context.Context, config *river.Config, w *runner) error {
	if !c.prepared(ctx, w.log, config.FetchPollInterval) {
		return nil
	}
	w.complete = c.complete
	config.Workers = river.NewWorkers()
	if err := river.AddWorkerSafely(config.Workers, w); err != nil {
		return err
	}
	running, err := river.NewClient(c.driver, config)
	if err != nil {
		return err
	}
	events, _ := running.Subscribe(river.EventKindJobSnoozed) // closed when River stops
	if err := running.Start(ctx); err != nil {
		return err
	}
	w.running.Store(true)
	defer w.running.Store(false)
	over := make(chan struct{})
	go func() {
		defer close(over)
		// A job that goes back to the queue arrives only now. Without this wake-up
		// River would find it at the next poll.
		for event := range events {
			c.wake(context.WithoutCancel(ctx), event.Job.Queue)
		}
		<-running.Stopped()
	}()
	select {
	case <-over:
		if ctx.Err() == nil {
			return errEnded
		}
		return nil
	case <-ctx.Done():
		return wait(over, config.SoftStopTimeout+stubborn)
	}
}

// errEnded is that River ended by itself.
var errEnded = errors.New("the queue ended by itself")

// prepared prepares the database as soon as it can be written to. It is false if ctx ended
// before.
func (c *client[T]) prepared(ctx context.Context, log *slog.Logger, again time.Duration) bool {
	for told := false; ; told = true {
		err := c.prepare(ctx)
		if ctx.Err() != nil {
			return false
		}
		if err == nil {
			return true
		}
		if !told {
			log.Error("background work waits until the database can be written to", "error", err)
		}
		select {
		case <-time.After(again):
		case <-ctx.Done():
		}
	}
}

var _ river.JobArgsWithInsertOpts = args{}

func (c *client[T]) check(ctx context.Context) error {
	return c.driver.GetExecutor().Exec(ctx, "SELECT 1")
}

// oldest returns the first job of a kind in a state, by its time, or nil.
func (c *client[T]) oldest(ctx context.Context, state rivertype.JobState, work string, order river.SortOrder) (*rivertype.JobRow, error) {
	found, err := c.inserts.JobList(ctx, river.NewJobListParams().States(state).Queues(work).OrderBy(river.JobListOrderByTime, order).First(1))
	if err != nil || len(found.Jobs) == 0 {
		return nil, err
	}
	return found.Jobs[0], nil
}

func (c *client[T]) close() error { return c.release() }

// retryAtOnce is River's retry policy for a job whose process has died.
type retryAtOnce struct{}

// NextRetry is a second from now, because River refuses a time in the past.
func (retryAtOnce) NextRetry(*rivertype.JobRow) time.Time { return time.Now().Add(time.Second) }
