package jobs

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riversqlite"

	"parley/internal/intx"
)

// openSQLite takes the queue's connection to a file that no other process has
// open.
func openSQLite(_ context.Context, config Config) (database, error) {
	reads := config.Reads
	if reads == nil {
		reads = config.SQLite
	}
	wakeups := newWakeups(len(config.Workers))
	c := &client[*sql.Tx]{
		driver: singleProcessDriver{riversqlite.New(config.SQLite), wakeups},
		within: func(tx *intx.Transaction, fn func(*sql.Tx) error) error { return fn(tx.SQL) },
		announce: func(_ context.Context, tx *intx.Transaction, _ *sql.Tx, work string) error {
			tx.AfterCommit(func() { wakeups.wake(work) })
			return nil
		},
		wake:    func(_ context.Context, work string) { wakeups.wake(work) },
		counted: countedOnSQLite(reads),
		prepare: func(ctx context.Context) error { return takeOver(ctx, config.SQLite) },
		release: config.SQLite.Close,
	}
	return c.finish()
}

// takeOver makes running jobs available again, because their process is gone, and
// ends its leadership. It does not count the attempt, like a regular stop.
func takeOver(ctx context.Context, db *sql.DB) error {
	for _, statement := range []string{
		"UPDATE river_job SET state = 'available', attempt = max(attempt - 1, 0) WHERE state = 'running'",
		"DELETE FROM river_leader",
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("taking over jobs: %w", err)
		}
	}
	return nil
}

// singleProcessDriver is River's driver for SQLite in the only process that has the file open.
// River's own driver polls a table for notifications 20 times a second and writes
// them there; a channel replaces both.
type singleProcessDriver struct {
	*riversqlite.Driver
	wakeups *wakeups
}

// GetListener returns the listener for [wakeups.wake].
func (d singleProcessDriver) GetListener(*riverdriver.GetListenenerParams) riverdriver.Listener {
	return d.wakeups
}

// SupportsListenNotify says that inserting a job notifies nobody.
func (d singleProcessDriver) SupportsListenNotify() bool { return false }

// GetExecutor returns the executor of River's statements.
func (d singleProcessDriver) GetExecutor() riverdriver.Executor {
	return executor{d.Driver.GetExecutor()}
}

// executor spares the file a write every five seconds.
type executor struct{ riverdriver.Executor }

// LeaderAttemptReelect re-elects the leader without asking the database, because
// there is only one process.
func (executor) LeaderAttemptReelect(_ context.Context, term *riverdriver.LeaderReelectParams) (*riverdriver.Leader, error) {
	return &riverdriver.Leader{LeaderID: term.LeaderID, ElectedAt: term.ElectedAt, ExpiresAt: time.Now().Add(term.TTL)}, nil
}

// wakeups are River's notifications within one process.
type wakeups struct {
	// waiting can hold each kind of work once.
	waiting chan string
	mu      sync.Mutex
	held    map[string]bool // the kinds in waiting
}

func newWakeups(kinds int) *wakeups {
	return &wakeups{waiting: make(chan string, kinds), held: map[string]bool{}}
}

// wake makes River look for jobs of a kind.
func (w *wakeups) wake(work string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.held[work] {
		return // a wake-up is already waiting
	}
	select {
	case w.waiting <- work:
		w.held[work] = true
	default: // this process has no workers of the kind
	}
}

// WaitForNotification waits for a wake-up.
func (w *wakeups) WaitForNotification(ctx context.Context) (*riverdriver.Notification, error) {
	select {
	case work := <-w.waiting:
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.held, work)
		return &riverdriver.Notification{Topic: insertTopic, Payload: insertPayload(work)}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// The other methods of a [riverdriver.Listener] manage a connection, and there is
// none.

// Connect does nothing.
func (w *wakeups) Connect(context.Context) error { return nil }

// Close does nothing.
func (w *wakeups) Close(context.Context) error { return nil }

// Listen does nothing.
func (w *wakeups) Listen(context.Context, string) error { return nil }

// Unlisten does nothing.
func (w *wakeups) Unlisten(context.Context, string) error { return nil }

// Ping does nothing.
func (w *wakeups) Ping(context.Context) error { return nil }

// Schema returns the default schema.
func (w *wakeups) Schema() string { return "" }

// SetAfterConnectExec does nothing.
func (w *wakeups) SetAfterConnectExec(string) {}

// The notifications that River's producers listen for, in the format of its
// notifier. A test with a long poll fails if River changes it.
const insertTopic = "river_insert"

func insertPayload(work string) string { return `{"queue": "` + work + `"}` }
