package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"parley/core/fault"
	"parley/internal/intx"
)

// maxBatch bounds how many transactions share one commit.
const maxBatch = 128

// writer is the one writer of a SQLite file. Transactions that wait at the same
// time share one commit, and so one fsync. Each runs within a savepoint, and no
// caller is answered before the commit.
type writer struct {
	conn  *sql.Conn
	known *statements
	queue chan *job
	done  chan struct{}
	// turn is held while it writes: see [jobsConn].
	turn sync.Mutex

	mu      sync.RWMutex
	stopped bool
}

type job struct {
	ctx  context.Context
	fn   inTxFunc
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

func (w *writer) inTx(ctx context.Context, fn inTxFunc) error {
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
				// A transaction that failed by itself keeps its own error.
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
	w.turn.Lock()
	defer w.turn.Unlock()
	// An interrupted statement would roll back the work of the others.
	ctx := context.Background()
	tx, err := w.conn.BeginTx(ctx, nil) // immediate, as the file was opened
	if err != nil {
		return err
	}
	for _, j := range batch {
		if err := w.runJob(ctx, tx, j); err != nil {
			// SQLite may have rolled back by itself, after a full disk for one.
			_ = tx.Rollback()
			return err
		}
	}
	return tx.Commit()
}

// runJob runs one job within a savepoint and stores its error. It returns an
// error if the transaction as a whole cannot go on.
func (w *writer) runJob(ctx context.Context, tx *sql.Tx, j *job) error {
	if j.err = j.ctx.Err(); j.err != nil {
		return nil
	}
	if _, err := w.known.ExecContext(ctx, "SAVEPOINT job"); err != nil {
		return err
	}
	// Statements of the connection run in its transaction, and stay prepared.
	if j.err = protect(func() error {
		return j.fn(context.WithoutCancel(j.ctx), w.known, &intx.Transaction{SQL: tx, Conn: w.conn})
	}); j.err != nil {
		if _, err := w.known.ExecContext(ctx, "ROLLBACK TO job"); err != nil {
			return batchLost(err, j.err)
		}
	}
	if _, err := w.known.ExecContext(ctx, "RELEASE job"); err != nil {
		return batchLost(err, j.err)
	}
	return nil
}

// batchLost is the error of every job in a batch whose savepoint is gone: SQLite
// rolled the transaction back, as it does when one job fills the disk.
func batchLost(err, ofJob error) error {
	if saysFull(ofJob) {
		return fault.OutOfStorage(errors.Join(err, ofJob))
	}
	return fault.Wrap(fault.Unavailable, errors.Join(err, ofJob), notAvailable).ForOperator()
}

// protect turns a panic of one job into its error, so that it does not take
// the others with it.
func protect(fn func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v\n%s", errPanic, r, debug.Stack())
		}
	}()
	return fn()
}
