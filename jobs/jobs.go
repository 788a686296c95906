// Package jobs is the queue of work that is done in the background. A job says
// no more than "work off what is due of this kind in this workspace", and there
// is at most one for each kind and workspace. Each kind has workers of its own,
// so that those who wait for slow sites do not keep a file waiting, and a
// workspace has at most one of them. Workspaces are served in rounds, a slice of
// work at a time: one with much to do does not make another wait.
//
// The queue wakes a worker, orders the workspaces, and has a job taken over
// when its process has died. River (riverqueue.com) does this in the database
// of the store, and ends in this package.
//
// It does not own the work: what is due, what became of it and when it is tried
// again are rows of a room. Nor does it own the tables of River, which
// migrations makes, or how a SQLite file is opened, which store decides.
package jobs

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"parley/internal/intx"
)

// Worker does the work of a workspace.
type Worker interface {
	// Work works for about the time of a slice, a few seconds; more says
	// whether something is due still, and pause for how long it has to wait,
	// zero for its place in the queue alone. When ctx ends it returns soon. An
	// error is logged, and the workspace's work is tried again later.
	//
	// Two calls for one workspace at a time are possible, if rare: a process
	// that was frozen goes on while another has taken its job over. What is
	// claimed must be claimed in the database.
	Work(ctx context.Context, workspaceID, work string) (more bool, pause time.Duration, err error)

	// Finish calls complete in one transaction, under the workspace's lock,
	// unless something has become due: then more is true and complete is not
	// called. Its context, and the one it gives to complete, come from ctx.
	Finish(ctx context.Context, workspaceID, work string, complete func(ctx context.Context) error) (more bool, err error)
}

// Config says where the queue is and how it runs. One of SQLite and Postgres
// is set.
type Config struct {
	// SQLite is one more connection to the store's file, which the queue
	// closes. Only one process has the file open.
	SQLite *sql.DB
	// Postgres is the URL of the store's database, on which LISTEN must work.
	Postgres string

	// Workers is for how many workspaces this process does each kind of work at
	// once. Kinds are of lower-case letters.
	Workers map[string]int
	// Lease is for how long a job may run; after that its process is taken for
	// dead and another takes over, within 40 s. 0 means 5 minutes.
	Lease time.Duration
	// Poll is how often the queue looks for jobs that nothing has woken it
	// for; 0 means a second.
	Poll time.Duration
	// Grace is how long a slice may go on when the queue stops; 0 means 10 s.
	Grace time.Duration
	Log   *slog.Logger
}

func (c Config) withDefaults() Config {
	c.Lease = orDefault(c.Lease, 5*time.Minute)
	c.Poll = orDefault(c.Poll, time.Second)
	c.Grace = orDefault(c.Grace, 10*time.Second)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

func orDefault[T int | time.Duration](value, otherwise T) T {
	if value <= 0 {
		return otherwise
	}
	return value
}

// Queue is the queue of one process.
type Queue struct {
	config Config
	on     database
}

// database is what the queue needs of a database. The two drivers of River
// have types of their own: see [client].
type database interface {
	enqueue(ctx context.Context, tx *intx.Transaction, workspaceID, work string) error
	run(ctx context.Context, config *river.Config, w *runner) error
	check(ctx context.Context) error
	close() error
}

// Open opens the queue. Jobs run only with [Queue.Run].
func Open(ctx context.Context, config Config) (*Queue, error) {
	config = config.withDefaults()
	open := openSQLite
	switch {
	case len(config.Workers) == 0:
		return nil, errors.New("the queue of jobs needs workers")
	case (config.SQLite == nil) == (config.Postgres == ""):
		return nil, errors.New("the queue of jobs needs either a SQLite file or a PostgreSQL URL")
	case config.Postgres != "":
		open = openPostgres
	}
	on, err := open(ctx, config)
	if err != nil {
		return nil, err
	}
	return &Queue{config: config, on: on}, nil
}

// Enqueue makes sure that a job of a kind is queued or running for the workspace. It
// joins the transaction of ctx, so that the work and its job are committed
// together, and must be called under the workspace's lock: a running job that
// counts here must not be completed meanwhile (see [Worker]).
func (q *Queue) Enqueue(ctx context.Context, workspaceID, work string) error {
	tx, ok := intx.Tx(ctx)
	if !ok {
		return errors.New("a job is enqueued in the transaction that adds its work, and there is none")
	}
	return q.on.enqueue(ctx, tx, workspaceID, work)
}

// Check reports whether the queue's database answers.
func (q *Queue) Check(ctx context.Context) error { return q.on.check(ctx) }

// Close releases the database. The queue must not be running.
func (q *Queue) Close() error { return q.on.close() }
