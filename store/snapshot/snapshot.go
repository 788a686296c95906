// Package snapshot reads a database as a whole, as it is at one moment, and fills an empty one:
// what package backup needs of SQLite and of PostgreSQL.
//
// It knows tables by the database's own catalog, so that a new table needs no change here, and so
// that a database of an older version can be read and filled, too. It does not own the form of a
// backup (package archive), nor what the tables mean (package store).
package snapshot

import (
	"context"
	"fmt"
	"io/fs"

	"parley/core/backup"
	"parley/core/backup/archive"
	"parley/core/fault"
	"parley/migrations"
	"parley/store"
)

// Source is a database at one moment.
type Source interface {
	backup.Source
	// Close ends the moment.
	Close() error
}

// Open begins to read the database of a URL.
func Open(ctx context.Context, url string) (Source, error) {
	if path, isFile := store.FileOf(url); isFile {
		return openSQLite(ctx, path)
	}
	return openPostgres(ctx, url)
}

// Into returns the place that the database of a URL is to be restored into.
func Into(url string) backup.Target {
	if path, isFile := store.FileOf(url); isFile {
		return &sqliteTarget{path: path}
	}
	return &postgresTarget{url: url}
}

// Scratch returns a place of which nothing ever stays: a nameless file, or what is done in the
// empty PostgreSQL database of a URL until it is undone.
func Scratch(url string) backup.Target {
	if url == "" {
		return &sqliteTarget{}
	}
	return &postgresTarget{url: url}
}

// describe is a header of a database's tables.
func describe(kind archive.Database, applied []string, tables []table) (archive.Header, error) {
	known := names(filesOf(kind))
	if len(applied) == 0 {
		return archive.Header{}, fault.New(fault.NotFound, "This is no database of Parley: it has no migrations.")
	}
	if len(applied) > len(known) || applied[len(applied)-1] != known[len(applied)-1] {
		return archive.Header{}, fault.New(fault.Conflict, "The database is newer than this program: it has the migration %s. Use the newer program.", applied[len(applied)-1])
	}
	ordered, err := inOrder(tables)
	if err != nil {
		return archive.Header{}, err
	}
	header := archive.Header{Database: kind, Migrations: applied}
	for _, t := range ordered {
		header.Tables = append(header.Tables, t.Table)
	}
	return header, nil
}

// IsCurrent reports whether a database has this program's schema.
func IsCurrent(header archive.Header) bool {
	return len(header.Migrations) == len(names(filesOf(header.Database)))
}

// nameNow is what this program calls a table that may have had another name.
func nameNow(table string) string {
	if renamed, is := migrations.Renamed[table]; is {
		return renamed
	}
	return table
}

func filesOf(kind archive.Database) fs.FS {
	if kind == archive.SQLite {
		return migrations.SQLite()
	}
	return migrations.Postgres()
}

// compare refuses a backup whose tables differ from the schema that it claims to have.
func compare(header archive.Header, tables []table) error {
	here := map[string]table{}
	for _, t := range tables {
		here[t.Name] = t
	}
	for _, t := range header.Tables {
		known, isKnown := here[t.Name]
		if !isKnown || !sameColumns(known.Columns, t.Columns) {
			return fault.New(fault.Invalid, "The backup is damaged: its table %s is not that of the version that it names.", t.Name)
		}
		delete(here, t.Name)
	}
	for name := range here {
		return fault.New(fault.Invalid, "The backup is damaged: it has no table %s.", name)
	}
	return nil
}

func sameColumns(a, b []archive.Column) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// rowError says which row of a backup a database refuses. The database's own words may hold what
// is in the row.
func rowError(err error, table string) error {
	return fault.Wrap(fault.Invalid, err, "The database refuses a row of the table %s", table)
}

var errNotEmpty = fault.New(fault.Conflict, "The database is not empty. Restore into an empty one: a backup replaces nothing.")

func unknownType(table, column, kind string) error {
	return fmt.Errorf("the column %s of the table %s is of the type %s, which no backup has", column, table, kind)
}
