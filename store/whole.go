package store

import (
	"context"
	"database/sql"
	"io/fs"
	"strings"

	"github.com/jackc/pgx/v5"

	"parley/internal/sqlitelog"
)

// What package snapshot reads and writes databases as a whole with.

// FileOf returns the path of the SQLite file that a URL names, and whether it names one.
func FileOf(url string) (path string, isFile bool) {
	path, isFile = strings.CutPrefix(url, sqliteScheme)
	path, _, _ = strings.Cut(path, "?")
	return path, isFile
}

// ReadFile opens a SQLite file to read it, while another process may write. It neither makes
// nor migrates the file.
func ReadFile(path string) (*sql.DB, error) {
	sqlitelog.Keep()
	db, err := sql.Open("sqlite", "file:"+path+"?mode=rw&"+sqliteReads)
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

// FillFile opens a new SQLite file that is nobody's until it is complete, so that it needs neither
// a journal nor foreign keys, which are checked at the end. Without a path it is a file that has
// no name, and is gone when it is closed.
func FillFile(path string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(MEMORY)&_pragma=synchronous(OFF)&_pragma=foreign_keys(0)&_time_format=sqlite")
	if err == nil {
		db.SetMaxOpenConns(1)
		db.SetMaxIdleConns(1)
		db.SetConnMaxLifetime(0)
	}
	return db, err
}

// MigrateFile applies the migrations that a SQLite file misses.
func MigrateFile(ctx context.Context, db *sql.DB, files fs.FS) error {
	return migrateSQLite(ctx, db, files)
}

// ParsePostgres reads the URL of a PostgreSQL database. The error does not quote it.
func ParsePostgres(url string) (*pgx.ConnConfig, error) { return parsePostgres(url) }

const seeAll = "SELECT set_config('role', $1, true), set_config('row_security', 'on', true)"

// SeeAll lets the transaction see the rows of all workspaces where row-level security keeps
// them apart, from the owner of the tables as well.
func SeeAll(ctx context.Context, tx pgx.Tx) error {
	used, err := usedRoles(ctx, tx)
	if err != nil || used.system == "" {
		return err
	}
	_, err = tx.Exec(ctx, seeAll, used.system)
	return err
}

const lockSchema = "SELECT pg_advisory_xact_lock($1)"

// LockSchema makes other starters wait until the transaction has ended.
func LockSchema(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, lockSchema, migrationLock)
	return err
}

// MigrateWithin applies the migrations that a PostgreSQL database misses, in a transaction, while
// other starters wait.
func MigrateWithin(ctx context.Context, tx pgx.Tx, files fs.FS) error {
	all, err := readMigrations(files)
	if err != nil {
		return err
	}
	if err := LockSchema(ctx, tx); err != nil {
		return err
	}
	return applyPostgres(ctx, tx, all)
}
