package embedded

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"parley/core/fault"
	"parley/internal/diskspace"
	"parley/internal/private"
	"parley/internal/sqlitelog"
)

const (
	// applicationID says in the file that it is one of ours.
	applicationID = 0x50726c79
	// schemaVersion is in the file's user_version. Open discards the content of a
	// file of another version, because a rebuild restores it.
	schemaVersion = 3
)

// A change of a scope, which is a chatbot in a version of the index, raises its
// generation, and the generation is the sequence of the document that the
// change brought. A segment has the documents from one sequence to another,
// and no two segments of a scope overlap. Numbers are never used again.
const schema = `
CREATE TABLE version (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	name TEXT NOT NULL,
	dimension INTEGER NOT NULL DEFAULT 0 -- of all vectors, or zero before the first
) STRICT;
CREATE TABLE serving (
	one INTEGER PRIMARY KEY CHECK (one = 1),
	version INTEGER NOT NULL
) STRICT;
CREATE TABLE scope (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	version INTEGER NOT NULL,
	workspace TEXT NOT NULL,
	chatbot TEXT NOT NULL,
	generation INTEGER NOT NULL,
	UNIQUE (version, workspace, chatbot)
) STRICT;
CREATE TABLE document (
	scope INTEGER NOT NULL,
	id TEXT NOT NULL,
	sequence INTEGER NOT NULL,
	passages INTEGER NOT NULL,
	PRIMARY KEY (scope, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE segment (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	scope INTEGER NOT NULL,
	first INTEGER NOT NULL,
	last INTEGER NOT NULL,
	bytes INTEGER NOT NULL,
	passages INTEGER NOT NULL,
	dead INTEGER NOT NULL DEFAULT 0, -- documents taken away since
	gone INTEGER NOT NULL DEFAULT 0  -- passages of those
) STRICT;
CREATE INDEX segment_scope ON segment (scope, first);
CREATE TABLE content (
	segment INTEGER PRIMARY KEY,
	data BLOB NOT NULL
) STRICT;
CREATE TABLE dead (
	segment INTEGER NOT NULL,
	sequence INTEGER NOT NULL,
	PRIMARY KEY (segment, sequence)
) STRICT, WITHOUT ROWID;
CREATE TABLE dropped ( -- scopes whose rows are to be deleted
	scope INTEGER PRIMARY KEY
) STRICT;
INSERT INTO version (name) VALUES ('');
INSERT INTO serving SELECT 1, id FROM version;
`

// busyTimeout is how long a connection waits for another process, in milliseconds.
const busyTimeout = "10000"

// dsn names a file for the driver, with more options. Readers and the writer share all
// pragmas.
func dsn(path, more string) string {
	name := url.URL{Path: path}
	return "file:" + name.EscapedPath() + "?_pragma=busy_timeout(" + busyTimeout + ")&_pragma=journal_mode(WAL)" +
		"&_pragma=synchronous(NORMAL)&_pragma=secure_delete(1)&_pragma=wal_autocheckpoint(4000)&_pragma=journal_size_limit(67108864)&" + sqlitelog.Kept + more
}

// create makes the file, readable by its owner only: it holds the words of
// customers' documents.
func create(path string) error {
	if path == "" {
		return errors.New("the path of the index file is missing")
	}
	return private.Database(path)
}

// marks returns what the file says that it is.
func (w *writer) marks() (application, version int, err error) {
	if err := w.row("SELECT application_id FROM pragma_application_id", &application); err != nil {
		return 0, 0, err
	}
	err = w.row("SELECT user_version FROM pragma_user_version", &version)
	return application, version, err
}

// isCurrent reports whether the file is an index of this version.
func (w *writer) isCurrent() (bool, error) {
	application, version, err := w.marks()
	return application == applicationID && version == schemaVersion, err
}

// prepare makes the tables, and replaces the tables of another version.
func (w *writer) prepare(path string) error {
	application, version, err := w.marks()
	if err != nil || application == applicationID && version == schemaVersion {
		return err
	}
	var tables int
	if err := w.row("SELECT count(*) FROM sqlite_schema", &tables); err != nil {
		return err
	}
	if tables > 0 {
		if err := w.empty(path, application); err != nil {
			return err
		}
	}
	return w.run(fmt.Sprintf("%s PRAGMA application_id = %d; PRAGMA user_version = %d", schema, applicationID, schemaVersion))
}

// empty drops the tables of an index of another version. The first version
// did not mark its file, but had a table for each chatbot.
func (w *writer) empty(path string, application int) error {
	var strange int
	err := w.row(`SELECT count(*) FROM sqlite_schema WHERE type = 'table'
		AND name NOT IN ('scope', 'passage', 'sqlite_sequence') AND name NOT GLOB 'fts_[0-9]*'`, &strange)
	if err != nil {
		return err
	}
	if application != applicationID && strange > 0 {
		return fmt.Errorf("the file %s is not an index: choose another path for the index, or move the file away", path)
	}
	// Dropping a virtual table drops the tables that it uses.
	for _, kind := range []string{"sql LIKE 'CREATE VIRTUAL %'", "name NOT LIKE 'sqlite_%'"} {
		names, err := w.strings("SELECT name FROM sqlite_schema WHERE type = 'table' AND " + kind)
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := w.run(`DROP TABLE "` + strings.ReplaceAll(name, `"`, `""`) + `"`); err != nil {
				return err
			}
		}
	}
	return nil
}

const rebuild = "stop the program, delete the file, and start it again or run `parley reindex`"

// explain adds instructions to the errors of a file that is damaged or no index.
func explain(err error, path string) error {
	if err == nil {
		return nil
	}
	switch code(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("the index file %s is damaged: %s: %w", path, rebuild, err)
	case sqlite3.SQLITE_FULL:
		return fault.OutOfStorage(fmt.Errorf("index file %s: %w", path, err))
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY:
		// SQLite tells nothing of quotas, inodes and a read-only file system.
		if full := diskspace.Probe(filepath.Dir(path)); full != nil {
			return fault.OutOfStorage(errors.Join(full, err))
		}
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

// background is the context of statements that must complete even if the caller
// goes away.
var background = context.Background()
