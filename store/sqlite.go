package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"entgo.io/ent/dialect"
	_ "modernc.org/sqlite" // the driver

	"parley/core/fault"
	"parley/migrations"
)

const (
	sqliteScheme = "sqlite:"
	// An acknowledged write survives a power cut: synchronous=FULL.
	sqlitePragmas = "_pragma=journal_mode(WAL)&_pragma=busy_timeout(10000)&_pragma=foreign_keys(1)" +
		"&_pragma=synchronous(FULL)&_time_format=sqlite"
	sqliteWrites = sqlitePragmas + "&_txlock=immediate"
	sqliteReads  = sqlitePragmas + "&_pragma=query_only(1)"
)

// openSQLite opens a file for many readers and one writer. Path may carry
// further options of the driver after a question mark.
func openSQLite(ctx context.Context, path string) (*Store, error) {
	path, options, _ := strings.Cut(path, "?")
	if options != "" {
		options = "&" + options
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("the data folder cannot be made: %w", err)
	}
	writes, err := sql.Open("sqlite", "file:"+path+"?"+sqliteWrites+options)
	if err != nil {
		return nil, err
	}
	writes.SetMaxOpenConns(1)
	if err := migrateSQLite(ctx, writes, migrations.SQLite()); err != nil {
		return nil, errors.Join(fmt.Errorf("migrating %s: %w", path, err), writes.Close())
	}
	reads, err := sql.Open("sqlite", "file:"+path+"?"+sqliteReads+options)
	if err != nil {
		return nil, errors.Join(err, writes.Close())
	}
	reads.SetMaxOpenConns(4 * runtime.GOMAXPROCS(0))
	reads.SetMaxIdleConns(4 * runtime.GOMAXPROCS(0))
	w := newWriter(writes)
	return newStore(dialect.SQLite, reads, w, func() error {
		w.stop()
		return errors.Join(reads.Close(), writes.Close())
	}), nil
}

// maxBatch bounds how many transactions share one commit.
const maxBatch = 128

// writer is the one writer of a SQLite file. Transactions that wait at the
// same time share one commit, and so one fsync: a savepoint keeps each whole,
// and nobody is answered before the commit.
type writer struct {
	db    *sql.DB
	queue chan *job
	done  chan struct{}

	mu      sync.RWMutex
	stopped bool
}

type job struct {
	ctx  context.Context
	fn   func(context.Context, *sql.Tx) error
	err  error
	done chan struct{}
}

var errPanic = errors.New("panic in a transaction")

var errClosed = fault.New(fault.Unavailable, "The server is stopping. Try again.")

func newWriter(db *sql.DB) *writer {
	w := &writer{db: db, queue: make(chan *job, maxBatch), done: make(chan struct{})}
	go w.run()
	return w
}

func (w *writer) stop() {
	w.mu.Lock()
	if !w.stopped {
		w.stopped = true
		close(w.queue)
	}
	w.mu.Unlock()
	<-w.done
}

func (w *writer) inTx(ctx context.Context, fn func(context.Context, *sql.Tx) error) error {
	j := &job{ctx: ctx, fn: fn, done: make(chan struct{})}
	if err := w.enqueue(ctx, j); err != nil {
		return err
	}
	<-j.done
	return j.err
}

func (w *writer) enqueue(ctx context.Context, j *job) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.stopped {
		return errClosed
	}
	select {
	case w.queue <- j:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *writer) run() {
	defer close(w.done)
	for first := range w.queue {
		batch := w.gather(first)
		if err := w.commit(batch); err != nil {
			for _, j := range batch {
				// What failed by itself keeps its own error.
				if j.err == nil {
					j.err = err
				}
			}
		}
		for _, j := range batch {
			close(j.done)
		}
	}
}

func (w *writer) gather(first *job) []*job {
	batch := []*job{first}
	for len(batch) < maxBatch {
		select {
		case j, ok := <-w.queue:
			if !ok {
				return batch
			}
			batch = append(batch, j)
		default:
			return batch
		}
	}
	return batch
}

// commit runs a batch in one transaction. The error is of the whole.
func (w *writer) commit(batch []*job) error {
	// An interrupted statement would roll back the work of the others.
	ctx := context.Background()
	tx, err := w.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, j := range batch {
		if err := w.runJob(ctx, tx, j); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

// runJob runs one job within a savepoint and keeps its error. The error it
// returns is that the transaction as a whole cannot go on.
func (w *writer) runJob(ctx context.Context, tx *sql.Tx, j *job) error {
	if j.err = j.ctx.Err(); j.err != nil {
		return nil
	}
	if _, err := tx.ExecContext(ctx, "SAVEPOINT job"); err != nil {
		return err
	}
	if j.err = protect(context.WithoutCancel(j.ctx), tx, j.fn); j.err != nil {
		if _, err := tx.ExecContext(ctx, "ROLLBACK TO job"); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, "RELEASE job")
	return err
}

// protect turns a panic of one job into its error, so that it does not take
// the others with it.
func protect(ctx context.Context, tx *sql.Tx, fn func(context.Context, *sql.Tx) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v\n%s", errPanic, r, debug.Stack())
		}
	}()
	return fn(ctx, tx)
}
