// Package jobs owns the queue of background work. A job only says "do the due work
// of this kind in this workspace", and there is at most one for each kind and
// workspace. Each kind has its own workers, so that a slow site does not delay a
// file, and a workspace has at most one worker of a kind. The queue serves
// workspaces in rounds, one slice of work at a time, so that a workspace with much
// to do does not delay another.
//
// The queue wakes workers, orders the workspaces, and gives the jobs of a dead
// process to another. River (riverqueue.com) does this in the store's database; no
// other package uses River.
//
// It does not own the work: domain packages store in their own rows what is due,
// how it ended and when to retry it. Package migrations owns River's tables, and
// package store owns how to open a SQLite file.
package jobs

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"parley/internal/intx"
)

// Worker does the work of a workspace.
type Worker interface {
	// Work works for about the time of a slice, a few seconds. It returns more
	// if work is still due, and pause if that must wait beyond its place in the
	// queue. When ctx ends it returns soon. The queue logs an error, and retries
	// the workspace's work later.
	//
	// Two calls for one workspace at a time are rare but possible: a frozen
	// process continues after another has taken over its job. So Work must claim
	// its work in the database.
	Work(ctx context.Context, workspaceID, work string) (more bool, pause time.Duration, err error)

	// Finish calls complete in one transaction, under the workspace's lock,
	// unless something has become due: then more is true and complete is not
	// called. Its context, and the one it gives to complete, come from ctx.
	Finish(ctx context.Context, workspaceID, work string, complete func(ctx context.Context) error) (more bool, err error)
}

// Config configures the queue. Set either SQLite or Postgres.
type Config struct {
	// SQLite is one more connection to the store's file, which the queue
	// closes. Only one process has the file open.
	SQLite *sql.DB
	// Postgres is the URL of the store's database, on which LISTEN must work.
	Postgres string
	// Role is the role of the database as which the queue works, or empty for the one
	// that connects.
	Role string

	// Workers is the number of workers of each kind in this process. A kind is
	// a name in lower-case letters.
	Workers map[string]int
	// Lease is how long a job may run. After that the queue considers its
	// process dead, and another takes over within 40 s. 0 means 5 minutes.
	Lease time.Duration
	// Poll is how often the queue looks for jobs without being woken. 0 means a
	// second.
	Poll time.Duration
	// Grace is how long a slice may go on when the queue stops; 0 means 10 s.
	Grace time.Duration
	// Failed, unless nil, is told of the kind of each slice that failed.
	Failed func(work string)
	// Reads, unless nil, reads the file of SQLite: [Queue.Waiting] then leaves the queue's
	// own connection alone, which takes turns with the writer of the store.
	Reads Querier
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
	// pause is the first one before a queue that ended begins again.
	pause  time.Duration
	opened time.Time
	// running says that River takes jobs, and stopped why it ended last.
	running atomic.Bool
	stopped atomic.Pointer[error]
}

// database is the queue's part of a database. River's two drivers have their own
// types: see [client].
type database interface {
	enqueue(ctx context.Context, tx *intx.Transaction, workspaceID, work string) error
	run(ctx context.Context, config *river.Config, w *runner) error
	waiting(ctx context.Context) (Waiting, error)
	check(ctx context.Context) error
	oldest(ctx context.Context, state rivertype.JobState, work string, order river.SortOrder) (*rivertype.JobRow, error)
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
	return &Queue{config: config, on: on, pause: firstPause, opened: time.Now()}, nil
}

// Enqueue makes sure that a job of a kind is queued or running for the workspace.
// It joins the transaction of ctx, so that the work and its job are committed
// together. Call it under the workspace's lock: if a job is running, no worker
// may complete it meanwhile (see [Worker]).
func (q *Queue) Enqueue(ctx context.Context, workspaceID, work string) error {
	tx, ok := intx.Tx(ctx)
	if !ok {
		return errors.New("enqueue a job in the transaction that adds its work: there is no transaction")
	}
	return q.on.enqueue(ctx, tx, workspaceID, work)
}

// Check reports whether the queue's database answers.
func (q *Queue) Check(ctx context.Context) error { return q.on.check(ctx) }

// Close releases the database. The queue must not be running.
func (q *Queue) Close() error { return q.on.close() }
