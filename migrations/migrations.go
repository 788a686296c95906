// Package migrations holds the versioned SQL that brings a database to the
// schema in ent/schema. Package store applies it.
package migrations

import (
	"embed"
	"io/fs"
)

//go:embed sqlite/*.sql postgres/*.sql
var files embed.FS

// SQLite returns the files for SQLite.
func SQLite() fs.FS { return sub("sqlite") }

// Postgres returns the files for PostgreSQL.
func Postgres() fs.FS { return sub("postgres") }

// Renamed has the names that tables had, and what they are called now.
var Renamed = map[string]string{"receipts": "usage_records"}

func sub(name string) fs.FS {
	dir, err := fs.Sub(files, name)
	if err != nil {
		panic(err) // the folder is embedded above
	}
	return dir
}
