package jobs

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"time"

	"github.com/riverqueue/river"
)

const (
	// kept is how long a completed job stays in the table.
	kept = time.Hour
	// cooldown is the minimum time between two looks for jobs.
	cooldown = 100 * time.Millisecond
	// stubborn is how much longer than the grace a stop waits for work that
	// ignores its context.
	stubborn = 5 * time.Second
	// firstPause and lastPause are the pauses before a queue that ended begins again. It
	// begins with the first one once it ran for longer than the last.
	firstPause = time.Second
	lastPause  = time.Minute
)

// Run runs jobs until ctx ends. Then it gives running slices the grace to end, and
// cancels the rest. A queue that ends before, such as by a database that refuses a
// connection, begins again.
func (q *Queue) Run(ctx context.Context, worker Worker) error {
	w := &runner{worker: worker, failing: q.config.Failed, log: q.config.Log, failures: map[args]int{}, running: &q.running}
	for pause := q.pause; ctx.Err() == nil; pause = min(2*pause, lastPause) {
		began := time.Now()
		err := q.on.run(ctx, q.config.forRiver(), w)
		if ctx.Err() != nil {
			return err
		}
		if time.Since(began) > lastPause {
			pause = q.pause
		}
		q.stopped.Store(&err)
		q.config.Log.Error("background work stopped, and begins again", "pause_ms", pause.Milliseconds(), "error", err)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
	return nil
}

func (c Config) forRiver() *river.Config {
	queues := map[string]river.QueueConfig{}
	for work, workers := range c.Workers {
		queues[work] = river.QueueConfig{MaxWorkers: workers}
	}
	config := &river.Config{
		Queues:      queues,
		MaxAttempts: math.MaxInt16,
		RetryPolicy: retryAtOnce{},
		// River cancels a job before another process takes it over.
		JobTimeout:                  c.Lease - c.Lease/10,
		RescueStuckJobsAfter:        c.Lease,
		FetchPollInterval:           c.Poll,
		FetchCooldown:               min(cooldown, c.Poll),
		SoftStopTimeout:             c.Grace,
		CompletedJobRetentionPeriod: kept,
		Logger:                      slog.New(quietHandler{c.Log.Handler()}),
	}
	if c.Role != "" { // which owns no index
		config.ReindexerIndexNames = []string{}
	}
	return config
}

// wait waits for the queue to end, up to a limit: a slice that ignores the end of
// its context can block it.
func wait(over <-chan struct{}, limit time.Duration) error {
	select {
	case <-over:
		return nil
	case <-time.After(limit):
		return errors.New("a slice of background work does not end; another process will take over its job when the lease expires")
	}
}
