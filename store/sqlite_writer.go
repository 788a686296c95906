package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/fault"
)

// maxBatch bounds how many transactions share one commit.
const maxBatch = 128

// writer is the one writer of a SQLite file. Transactions that wait at the
// same time share one commit, and so one fsync: a savepoint keeps each whole,
// and nobody is answered before the commit.
type writer struct {
	conn  *sql.Conn
	known *statements
	queue chan *job
	done  chan struct{}

	mu      sync.RWMutex
	stopped bool
}

type job struct {
	ctx  context.Context
	fn   func(context.Context, entsql.ExecQuerier) error
	err  error
	done chan struct{}
}

var errPanic = errors.New("panic in a transaction")

var errClosed = fault.New(fault.Unavailable, "The server is stopping. Try again.")

// newWriter writes on one connection of db, which it keeps until it stops.
func newWriter(ctx context.Context, db *sql.DB) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{conn: conn, known: newStatements(conn), queue: make(chan *job, maxBatch), done: make(chan struct{})}
	go w.run()
	return w, nil
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

func (w *writer) inTx(ctx context.Context, fn func(context.Context, entsql.ExecQuerier) error) error {
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
	defer w.conn.Close()
	defer w.known.close()
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
	if _, err := w.known.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	for _, j := range batch {
		if err := w.runJob(ctx, j); err != nil {
			return w.rollback(ctx, err)
		}
	}
	if _, err := w.known.ExecContext(ctx, "COMMIT"); err != nil {
		return w.rollback(ctx, err)
	}
	return nil
}

// rollback ends the transaction and returns its cause. SQLite may have done so by itself, after a
// full disk for one: that is no error.
func (w *writer) rollback(ctx context.Context, cause error) error {
	_, _ = w.known.ExecContext(ctx, "ROLLBACK")
	return cause
}

// runJob runs one job within a savepoint and keeps its error. The error it
// returns is that the transaction as a whole cannot go on.
func (w *writer) runJob(ctx context.Context, j *job) error {
	if j.err = j.ctx.Err(); j.err != nil {
		return nil
	}
	if _, err := w.known.ExecContext(ctx, "SAVEPOINT job"); err != nil {
		return err
	}
	if j.err = protect(context.WithoutCancel(j.ctx), w.known, j.fn); j.err != nil {
		if _, err := w.known.ExecContext(ctx, "ROLLBACK TO job"); err != nil {
			return err
		}
	}
	_, err := w.known.ExecContext(ctx, "RELEASE job")
	return err
}

// protect turns a panic of one job into its error, so that it does not take
// the others with it.
func protect(ctx context.Context, tx entsql.ExecQuerier, fn func(context.Context, entsql.ExecQuerier) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v\n%s", errPanic, r, debug.Stack())
		}
	}()
	return fn(ctx, tx)
}
