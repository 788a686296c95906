package store

import (
	"context"
	"errors"
	"time"
)

// scrubWithin bounds how long Scrub waits for readers of the file.
const scrubWithin = 30 * time.Second

var errNotScrubbed = errors.New("the log of the database file is in use")

// Files are those that the database is in.
type Files struct{ store *Store }

// NewFiles returns the files of a database.
func NewFiles(db *Store) *Files { return &Files{db} }

// Scrub takes what was deleted out of the files of SQLite: secure_delete has overwritten it
// in the pages, and here the log, which has the pages as they were before, is written into
// the file and emptied. PostgreSQL keeps what was deleted until its vacuum.
func (s *Files) Scrub(ctx context.Context) error {
	w, ok := s.store.begin.(*writer)
	if !s.store.IsSQLite() || !ok {
		return nil
	}
	for until := time.Now().Add(scrubWithin); ; {
		emptied, err := w.checkpoint(ctx)
		if err != nil || emptied {
			return MapError(err)
		}
		if time.Now().After(until) {
			return MapError(errNotScrubbed)
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return MapError(ctx.Err())
		}
	}
}

// checkpoint writes the log into the file and empties it, unless somebody reads from it. It
// waits for no reader, since no transaction can begin meanwhile.
func (w *writer) checkpoint(ctx context.Context) (emptied bool, err error) {
	w.turn.Lock()
	defer w.turn.Unlock()
	ctx = context.WithoutCancel(ctx)
	if _, err := w.conn.ExecContext(ctx, "PRAGMA busy_timeout = 0"); err != nil {
		return false, err
	}
	var busy, pages, written int
	err = w.conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &written)
	_, restored := w.conn.ExecContext(ctx, "PRAGMA busy_timeout = "+busyTimeout)
	return busy == 0, errors.Join(err, restored)
}
