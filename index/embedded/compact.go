package embedded

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Each change of a table leaves a segment, and a search looks each word up in
// every segment. So a table that has not been written to for a while is merged
// to one, in steps that other writers can come between.
const (
	// settleTime is how long nothing must have been written before.
	settleTime = 500 * time.Millisecond
	// mergePages is the work of one step, in pages of about 4 KB.
	mergePages = 500
	// closeTime bounds the merging when the index is closed.
	closeTime = 2 * time.Second
)

// compactor merges tables that were written to.
type compactor struct {
	written    chan int64
	stop, done chan struct{}
}

func newCompactor() *compactor {
	return &compactor{written: make(chan int64, 64), stop: make(chan struct{}), done: make(chan struct{})}
}

// wrote says that a table was written to.
func (c *compactor) wrote(table int64) {
	select {
	case c.written <- table:
	case <-c.stop:
	}
}

// close merges what is left.
func (c *compactor) close() {
	close(c.stop)
	<-c.done
}

// run merges until the compactor is closed.
func (c *compactor) run(merge func(ctx context.Context, table int64) error) {
	defer close(c.done)
	waiting := map[int64]bool{}
	settled := time.NewTimer(settleTime)
	defer settled.Stop()
	for {
		select {
		case <-c.stop:
			ctx, cancel := context.WithTimeout(context.Background(), closeTime)
			defer cancel()
			mergeAll(ctx, waiting, merge)
			return
		case table := <-c.written:
			waiting[table] = true
			settled.Reset(settleTime)
		case <-settled.C:
			mergeAll(context.Background(), waiting, merge)
		}
	}
}

// mergeAll merges the tables that wait. One that fails stays as it is: it may
// have been dropped, and is only slower otherwise.
func mergeAll(ctx context.Context, waiting map[int64]bool, merge func(context.Context, int64) error) {
	for table := range waiting {
		_ = merge(ctx, table)
		delete(waiting, table)
	}
}

// merge makes one segment of a table. A negative number of pages begins it and
// a positive one goes on: "The 'merge' Command", section 6.8 of SQLite's FTS5
// documentation, which also says how its end shows.
func (x *Index) merge(ctx context.Context, table int64) error {
	for pages := -mergePages; ; pages = mergePages {
		changes := 0
		err := x.change(ctx, func(tx *sql.Tx) error {
			var before, after int
			if err := tx.QueryRowContext(ctx, "SELECT total_changes()").Scan(&before); err != nil {
				return err
			}
			command := fmt.Sprintf("INSERT INTO fts_%[1]d (fts_%[1]d, rank) VALUES ('merge', ?)", table)
			if _, err := tx.ExecContext(ctx, command, pages); err != nil {
				return err
			}
			err := tx.QueryRowContext(ctx, "SELECT total_changes()").Scan(&after)
			changes = after - before
			return err
		})
		if err != nil || changes < 2 {
			return err
		}
	}
}
