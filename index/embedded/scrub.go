package embedded

import (
	"context"
	"errors"
	"time"
)

// scrubWithin bounds how long Scrub waits for readers of the file.
const scrubWithin = 30 * time.Second

var errNotScrubbed = errors.New("the log of the index file is in use")

// Scrub takes what was dropped out of the file: it deletes the rows of dropped scopes, which
// SQLite overwrites, and empties the log, which has the pages as they were before.
func (x *Index) Scrub(ctx context.Context) error {
	if err := x.write.deleteDropped(ctx); err != nil {
		return err
	}
	for until := time.Now().Add(scrubWithin); ; {
		emptied, err := x.write.checkpoint(ctx)
		if err != nil || emptied {
			return err
		}
		if time.Now().After(until) {
			return errNotScrubbed
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// checkpoint writes the log into the file and empties it, unless somebody reads from it.
func (w *writer) checkpoint(ctx context.Context) (emptied bool, err error) {
	select {
	case w.lock <- struct{}{}:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	defer func() { <-w.lock }()
	if w.closed {
		return false, errClosed
	}
	if err := w.run("PRAGMA busy_timeout = 0"); err != nil { // no change can begin meanwhile
		return false, explain(err, w.path)
	}
	var busy, pages, written int
	err = w.row("PRAGMA wal_checkpoint(TRUNCATE)", &busy, &pages, &written)
	return busy == 0, explain(errors.Join(err, w.run("PRAGMA busy_timeout = "+busyTimeout)), w.path)
}
