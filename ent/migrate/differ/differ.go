// Package differ compares migration files with the tables of ent/schema and ent/plain, by
// replaying the files on an empty database.
//
// It does not own the databases that it replays on, nor how a server applies
// the files: package store does.
package differ

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	atlas "ariga.io/atlas/sql/migrate"
	entsql "entgo.io/ent/dialect/sql"
	"entgo.io/ent/dialect/sql/schema"

	"parley/ent/generated/migrate"
	"parley/ent/plain"
)

// writing is held while ent compares: it notes things in the one description of the
// tables that all share.
var writing sync.Mutex

// Tables are those of ent/schema and of ent/plain.
func Tables() []*schema.Table { return slices.Concat(migrate.Tables, plain.Tables) }

// Write adds to folder the file, if one is needed, that brings the databases
// of a dialect from the newest migration there to the schema. The database is
// an empty one of that dialect; name says in the file's name what changes.
func Write(ctx context.Context, db *sql.DB, dialect, folder, name string) error {
	dir, err := atlas.NewLocalDir(folder)
	if err != nil {
		return err
	}
	m, err := schema.NewMigrate(entsql.OpenDB(dialect, db),
		schema.WithDir(dir), schema.WithMigrationMode(schema.ModeReplay), schema.WithDialect(dialect),
		schema.WithFormatter(atlas.DefaultFormatter), schema.WithDropColumn(true), schema.WithDropIndex(true))
	if err != nil {
		return err
	}
	writing.Lock()
	defer writing.Unlock()
	return m.NamedDiff(ctx, name, Tables()...)
}

// Missing returns the SQL that [Write] would write, or nothing when the files
// match the schema. It works in scratch, an empty folder, and leaves files as
// they are. Files that do not fit their atlas.sum are an error.
func Missing(ctx context.Context, db *sql.DB, dialect string, files fs.FS, scratch string) (string, error) {
	if err := os.CopyFS(scratch, files); err != nil {
		return "", err
	}
	before, err := sqlFiles(scratch)
	if err != nil {
		return "", err
	}
	if err := Write(ctx, db, dialect, scratch, "missing"); err != nil {
		return "", err
	}
	after, err := sqlFiles(scratch)
	if err != nil || len(after) == len(before) {
		return "", err
	}
	text, err := os.ReadFile(after[len(after)-1])
	if err != nil {
		return "", fmt.Errorf("reading what is missing: %w", err)
	}
	return string(text), nil
}

func sqlFiles(folder string) ([]string, error) {
	return filepath.Glob(filepath.Join(folder, "*.sql")) // sorted
}
