package store

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"parley/core/fault"
	"parley/internal/diskspace"
)

const (
	// maxGroup bounds how many rows share one statement.
	maxGroup = 64
	// maxWaiting bounds how many rows wait for a statement, and so what a process
	// keeps for a database that has stopped answering. Ends wait beyond it: see
	// [Group].
	maxWaiting = 4096
	// A second statement runs beside the first one when secondFrom rows wait: it is
	// executed while the first one waits for the disk. With fewer, two small
	// statements would cost more than one.
	maxStatementsOfGroup = 2
	secondFrom           = 8
	// groupWithin bounds a statement of several rows, as [chat.StoreWithin] bounds a
	// statement of one row.
	groupWithin = 10 * time.Second
)

// errTooBusy is what a caller gets when maxWaiting rows wait already.
var errTooBusy = fault.New(fault.Unavailable, "The server has too much to store right now. Try again in a few seconds.")

// Group sends rows that arrive at the same time as one statement of PostgreSQL,
// which costs for each statement rather than for each row. A row that finds nothing
// under way is stored at once by its own goroutine; rows that arrive meanwhile wait,
// and go together.
//
// A row is stored once, or not at all if it is refused or withdrawn. No caller is
// answered before the commit.
type Group[Row, Result any] struct {
	// Ends says that the rows end what has been begun, such as an answer. Its caller
	// keeps that anyway, and refusing it would lose it. So there may be as many as
	// there are callers, and each waits for as long as the rows before it are stored.
	Ends bool
	// Alone stores one row, and gives that row's own error.
	Alone func(ctx context.Context, row Row) (Result, error)
	// Together stores several rows in one transaction, and tells each that was stored
	// its result by its place among them. One that it leaves out goes alone, and so
	// gets the error that it deserves. After an error that undid all of it, see
	// isUndone, all go alone. Any other error is every row's.
	Together func(ctx context.Context, rows []Row, tell func(place int, result Result)) error

	mu       sync.Mutex
	waiting  []*groupRow[Row, Result]
	workers  int // those that store, callers included
	executed int // the statements that were
	callers  sync.WaitGroup
	stopped  bool
}

// groupRow is a row that waits for a statement, or is in one.
type groupRow[Row, Result any] struct {
	ctx    context.Context
	row    Row
	result Result
	err    error
	stored bool
	done   chan struct{}
}

// Do stores a row and returns its result. A ctx that ends withdraws a row that still
// waits, and so does a wait of groupWithin, in which no other end was stored if the row is
// one. The caller of a row that is in a statement waits for that.
func (g *Group[Row, Result]) Do(ctx context.Context, row Row) (none Result, err error) {
	r, err := g.enter(ctx, row)
	if err != nil {
		return none, err
	}
	defer g.callers.Done()
	if r == nil {
		defer g.handOver()
		result, err := g.Alone(ctx, row)
		g.count(err)
		return result, err
	}
	if err := g.wait(ctx, r); err != nil {
		return none, err
	}
	if r.err == nil && !r.stored {
		return g.Alone(ctx, row)
	}
	return r.result, r.err
}

// wait returns when a row has been in a statement, or with the error of one that was
// withdrawn.
func (g *Group[Row, Result]) wait(ctx context.Context, r *groupRow[Row, Result]) error {
	late := time.NewTimer(groupWithin)
	defer late.Stop()
	for before := g.statements(); ; {
		var err error
		select {
		case <-r.done:
			return nil
		case <-late.C:
			now := g.statements()
			if g.Ends && now > before {
				before = now
				late.Reset(groupWithin)
				continue
			}
			err = errTooBusy
		case <-ctx.Done():
			err = ctx.Err()
		}
		if g.withdraw(r) {
			return err
		}
		<-r.done
		return nil
	}
}

// enter lets a row wait, or returns nil if it can be stored at once.
func (g *Group[Row, Result]) enter(ctx context.Context, row Row) (*groupRow[Row, Result], error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case diskspace.Full(ctx) != nil:
		return nil, fault.OutOfStorage(diskspace.Full(ctx))
	case g.stopped:
		return nil, errClosed
	case !g.Ends && len(g.waiting) >= maxWaiting:
		return nil, errTooBusy
	}
	g.callers.Add(1)
	if g.workers == 0 {
		g.workers++
		return nil, nil
	}
	r := &groupRow[Row, Result]{ctx: ctx, row: row, done: make(chan struct{})}
	g.waiting = append(g.waiting, r)
	if g.workers < maxStatementsOfGroup && len(g.waiting) >= secondFrom {
		g.workers++
		go g.work()
	}
	return r, nil
}

// withdraw takes a row back that still waits, and reports whether it did.
func (g *Group[Row, Result]) withdraw(r *groupRow[Row, Result]) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := slices.Index(g.waiting, r)
	if at < 0 {
		return false
	}
	g.waiting = slices.Delete(g.waiting, at, at+1)
	return true
}

// handOver ends the work of a caller, and leaves the rows that wait to a goroutine.
func (g *Group[Row, Result]) handOver() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.waiting) > 0 {
		go g.work()
		return
	}
	g.workers--
}

// work stores the rows that wait until there are none.
func (g *Group[Row, Result]) work() {
	for {
		runtime.Gosched() // those who were just answered may have another row
		rows := g.take()
		if rows == nil {
			return
		}
		g.store(rows)
		for _, r := range rows {
			close(r.done)
		}
	}
}

// take returns the rows of the next statement. Without any the worker has ended.
func (g *Group[Row, Result]) take() []*groupRow[Row, Result] {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := min(len(g.waiting), maxGroup)
	if n == 0 {
		g.workers--
		return nil
	}
	rows := slices.Clone(g.waiting[:n])
	g.waiting = slices.Delete(g.waiting, 0, n)
	return rows
}

func (g *Group[Row, Result]) store(rows []*groupRow[Row, Result]) {
	if len(rows) == 1 {
		r := rows[0]
		r.err = protect(func() (err error) {
			r.result, err = g.Alone(r.ctx, r.row)
			return err
		})
		r.stored = r.err == nil
		g.count(r.err)
		return
	}
	values := make([]Row, len(rows))
	for i, r := range rows {
		values[i] = r.row
	}
	ctx, cancel := context.WithTimeout(context.Background(), groupWithin)
	defer cancel()
	results := make(map[int]Result, len(rows))
	err := protect(func() error {
		return g.Together(ctx, values, func(place int, result Result) { results[place] = result })
	})
	g.count(err)
	switch {
	case err == nil:
		for i, r := range rows {
			r.result, r.stored = results[i]
		}
	case isUndone(err):
		// Each goes alone.
	default:
		for _, r := range rows {
			r.err = err
		}
	}
}

// count counts a statement that was executed, and so not one that met a database which
// does not answer.
func (g *Group[Row, Result]) count(err error) {
	if err != nil && !isUndone(err) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.executed++
}

// statements is how many statements were executed.
func (g *Group[Row, Result]) statements() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.executed
}

// Waiting is how many rows wait for a statement.
func (g *Group[Row, Result]) Waiting() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting)
}

// stop refuses further rows, and returns when those that came have been stored.
func (g *Group[Row, Result]) stop() {
	g.mu.Lock()
	g.stopped = true
	g.mu.Unlock()
	g.callers.Wait()
}

// isUndone reports whether an error says that the server has undone the whole
// statement and goes on: then nothing of it was stored. After any other error, a lost
// connection for one, nobody knows.
func isUndone(err error) bool {
	var refusal *pgconn.PgError
	return errors.As(err, &refusal) && refusal.SeverityUnlocalized == "ERROR"
}
