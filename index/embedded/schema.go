package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// schemaVersion is in the file's user_version. A file of another version is
// not converted, as it can be rebuilt.
const schemaVersion = 1

const schema = `
CREATE TABLE IF NOT EXISTS scope (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	workspace TEXT NOT NULL,
	chatbot TEXT NOT NULL,
	UNIQUE (workspace, chatbot)
) STRICT;
CREATE TABLE IF NOT EXISTS passage (
	scope INTEGER NOT NULL,
	id INTEGER NOT NULL,
	document TEXT NOT NULL,
	PRIMARY KEY (scope, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS passage_document ON passage (scope, document);
`

// createTable makes the FTS5 table of a scope. It is contentless: passages are
// in the database, and only their words are here.
func createTable(table int64) string {
	return fmt.Sprintf(`CREATE VIRTUAL TABLE fts_%d USING fts5(title, heading, body, content='', contentless_delete=1,
		tokenize='porter unicode61 remove_diacritics 2')`, table)
}

// dsn names a file for the driver. Readers and the writer share all pragmas.
func dsn(path string) string {
	name := url.URL{Path: path}
	return "file:" + name.EscapedPath() + "?_txlock=immediate" +
		"&_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)"
}

// create makes the file, readable by its owner only: it holds the words of
// customers' documents.
func create(path string) error {
	if path == "" {
		return errors.New("no path for the index file is given")
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

// prepare makes the tables, and refuses a file of another version.
func prepare(ctx context.Context, db *sql.DB, path string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return explain(err, path)
	}
	defer func() { _ = tx.Rollback() }()
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return explain(err, path)
	}
	if version != 0 && version != schemaVersion {
		return fmt.Errorf("the index file %s has version %d and this program needs %d: %s", path, version, schemaVersion, rebuild)
	}
	if _, err := tx.ExecContext(ctx, schema+fmt.Sprintf("PRAGMA user_version = %d", schemaVersion)); err != nil {
		return explain(err, path)
	}
	return explain(tx.Commit(), path)
}

const rebuild = "stop the program, delete the file, and rebuild it with `parley knowledge reindex`"

// explain adds what to do to the errors of a file that is damaged or is no
// index at all.
func explain(err error, path string) error {
	if err == nil {
		return nil
	}
	switch code(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("the index file %s is damaged: %s: %w", path, rebuild, err)
	}
	return fmt.Errorf("index file %s: %w", path, err)
}

// code returns SQLite's primary result code, or zero.
func code(err error) int {
	var failure *sqlite.Error
	if !errors.As(err, &failure) {
		return 0
	}
	return failure.Code() & 0xff
}
