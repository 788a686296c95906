package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"entgo.io/ent/dialect"
	"modernc.org/sqlite" // the driver, too
	sqlite3 "modernc.org/sqlite/lib"

	"parley/internal/diskspace"
	"parley/internal/private"
	"parley/internal/sqlitelog"
	"parley/migrations"
)

const (
	sqliteScheme = "sqlite:"
	// busyTimeout is how long a connection waits for another process, in milliseconds.
	busyTimeout = "10000"
	// An acknowledged write survives a power cut: synchronous=FULL. What is deleted is
	// overwritten: secure_delete; see Scrub for the log.
	sqlitePragmas = "_pragma=journal_mode(WAL)&_pragma=busy_timeout(" + busyTimeout + ")&_pragma=foreign_keys(1)" +
		"&_pragma=synchronous(FULL)&_pragma=secure_delete(1)&_pragma=journal_size_limit(67108864)&_time_format=sqlite&" + sqlitelog.Kept
	sqliteWrites = sqlitePragmas + "&_txlock=immediate"
	sqliteReads  = sqlitePragmas + "&_pragma=query_only(1)"
	// What the queue of jobs writes by itself may be lost in a power cut: a
	// restart makes up for it. What it writes in a transaction of the store is
	// the store's, and survives.
	sqliteJobs = sqliteWrites + "&_pragma=synchronous(NORMAL)"
)

// lockedFor is how long processes that start together wait for one another.
const lockedFor = 10 * time.Second

// migrateUnlocked migrates a file, again while it is locked: SQLite does not wait, as it
// otherwise does, when two connections make the log of a new file at once.
func migrateUnlocked(ctx context.Context, writes *sql.DB) error {
	for until := time.Now().Add(lockedFor); ; {
		err := migrateSQLite(ctx, writes, migrations.SQLite())
		var ofSQLite *sqlite.Error
		if !errors.As(err, &ofSQLite) || ofSQLite.Code()&0xff != sqlite3.SQLITE_BUSY || time.Now().After(until) {
			return err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return err
		}
	}
}

// openSQLite opens a file for many readers and one writer. Path may carry
// further options of the driver after a question mark. On a full disk, which may leave no
// room for the index of the log, other processes cannot open the file until it is closed.
func openSQLite(ctx context.Context, path string) (*Store, error) {
	if err := keepSavepoints(); err != nil {
		return nil, err
	}
	sqlitelog.Keep()
	path, options, _ := strings.Cut(path, "?")
	if options != "" {
		options = "&" + options
	}
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("the folder of the database cannot be made: %w", err)
	}
	// SQLite would make it with the umask's mode, and its log beside it.
	if err := private.Database(path); err != nil {
		return nil, fmt.Errorf("the database cannot be made: %w", err)
	}
	s, err := openFile(ctx, path, options)
	if err == nil {
		return s, nil
	}
	full := diskspace.Probe(folder)
	if full == nil {
		return nil, err
	}
	if s, err = openFile(ctx, path, options+"&"+sqlitelog.Alone); err != nil {
		return nil, fmt.Errorf("%w. Free space, and start again: the database %s could not be opened or migrated without (%w)", full, path, err)
	}
	return s, nil
}

// openFile opens a file that exists.
func openFile(ctx context.Context, path, options string) (*Store, error) {
	writes, err := sql.Open("sqlite", "file:"+path+"?"+sqliteWrites+options)
	if err != nil {
		return nil, err
	}
	writes.SetMaxOpenConns(1)
	if err := migrateUnlocked(ctx, writes); err != nil {
		return nil, errors.Join(fmt.Errorf("migrating %s: %w", path, err), writes.Close())
	}
	if err := stateSQLite(ctx, writes); err != nil {
		return nil, errors.Join(fmt.Errorf("the statistics of %s cannot be written: %w", path, err), writes.Close())
	}
	reads, err := sql.Open("sqlite", "file:"+path+"?"+sqliteReads+options)
	if err != nil {
		return nil, errors.Join(err, writes.Close())
	}
	reads.SetMaxOpenConns(4 * runtime.GOMAXPROCS(0))
	reads.SetMaxIdleConns(4 * runtime.GOMAXPROCS(0))
	w, err := newWriter(ctx, writes)
	if err != nil {
		return nil, errors.Join(err, reads.Close(), writes.Close())
	}
	known := newStatements(reads)
	s := newStore(dialect.SQLite, reads, known, w, func() error {
		w.stop()
		return errors.Join(known.close(), reads.Close(), writes.Close())
	})
	s.folder = diskspace.In(filepath.Dir(path))
	s.jobsDSN, s.jobsTurn = "file:"+path+"?"+sqliteJobs+options, &w.turn
	return s, nil
}
