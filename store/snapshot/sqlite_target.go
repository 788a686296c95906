package snapshot

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"parley/core/backup/archive"
	"parley/core/fault"
	"parley/internal/private"
	"parley/migrations"
	"parley/store"
)

// Unfinished is what the name of a file ends with that a restore has not completed. A server
// refuses to start beside it.
const Unfinished = ".restoring"

// sqliteTarget fills a file beside the one that it is to become, or one without a name.
type sqliteTarget struct {
	path string
	db   *sql.DB
	// mine says that the unfinished file is this one's, and done that it is no more.
	mine, done bool
}

func (s *sqliteTarget) unfinished() string { return s.path + Unfinished }

func (s *sqliteTarget) Prepare(ctx context.Context, header archive.Header) error {
	files, err := upTo(archive.SQLite, header)
	if err != nil {
		return err
	}
	name := ""
	if s.path != "" {
		if err := s.clear(); err != nil {
			return err
		}
		name = s.unfinished()
	}
	if s.db, err = store.FillFile(name); err != nil {
		return err
	}
	if err := store.MigrateFile(ctx, s.db, files); err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, "PRAGMA foreign_keys = OFF"); err != nil {
		return err
	}
	tables, err := s.tables(ctx)
	if err != nil {
		return err
	}
	return compare(header, tables)
}

// clear refuses a place with a database, and takes away what a restore left that was killed.
func (s *sqliteTarget) clear() error {
	for _, path := range private.WithDatabases(s.path) {
		if _, err := os.Stat(path); err == nil {
			return fault.New(fault.Conflict, "There is a database already: %s. Restore into an empty place: a backup replaces nothing.", path)
		}
	}
	if err := s.remove(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return fmt.Errorf("the folder of the database cannot be made: %w", err)
	}
	s.mine = true
	return private.Database(s.unfinished())
}

func (s *sqliteTarget) remove() error {
	var failures []error
	for _, path := range private.WithDatabases(s.unfinished()) {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

func (s *sqliteTarget) tables(ctx context.Context) (tables []table, err error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }()
	return sqliteTables(ctx, tx, isLeftOut)
}

func (s *sqliteTarget) Fill(ctx context.Context, t archive.Table, next func() ([]any, error)) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit this does nothing
	places := strings.TrimSuffix(strings.Repeat("?, ", len(t.Columns)), ", ")
	insert, err := tx.PrepareContext(ctx, "INSERT INTO "+quoted(t.Name)+" ("+quotedList(columnNames(t))+") VALUES ("+places+")")
	if err != nil {
		return err
	}
	defer insert.Close()
	for {
		values, err := next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		for i, column := range t.Columns {
			if text, isText := values[i].(string); isText && column.Type == archive.JSON {
				values[i] = []byte(text) // as ent writes it
			}
		}
		if _, err := insert.ExecContext(ctx, values...); err != nil {
			return rowError(err, t.Name)
		}
	}
	if t.Numbered > 0 {
		if err := numberFrom(ctx, tx, t); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// numberFrom makes SQLite go on numbering where it was: no number is given twice.
func numberFrom(ctx context.Context, tx *sql.Tx, t archive.Table) error {
	changed, err := tx.ExecContext(ctx, "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", t.Numbered, t.Name)
	if err != nil {
		return err
	}
	if n, err := changed.RowsAffected(); err != nil || n > 0 {
		return err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", t.Name, t.Numbered)
	return err
}

func (s *sqliteTarget) Migrate(ctx context.Context) error {
	var broken int
	if err := s.db.QueryRowContext(ctx, "SELECT count(*) FROM pragma_foreign_key_check").Scan(&broken); err != nil {
		return err
	}
	if broken > 0 {
		return fault.New(fault.Invalid, "The backup is damaged: %d rows refer to others that are not there.", broken)
	}
	return store.MigrateFile(ctx, s.db, migrations.SQLite())
}

func (s *sqliteTarget) Count(ctx context.Context) (map[string]int64, error) {
	tables, err := s.tables(ctx)
	if err != nil {
		return nil, err
	}
	counts := map[string]int64{}
	for _, t := range tables {
		var n int64
		if err := s.db.QueryRowContext(ctx, "SELECT count(*) FROM "+quoted(t.Name)).Scan(&n); err != nil {
			return nil, err
		}
		counts[nameNow(t.Name)] = n
	}
	return counts, nil
}

// Commit writes the file to the disk, and gives it its name.
func (s *sqliteTarget) Commit(context.Context) error {
	if err := s.db.Close(); err != nil {
		return err
	}
	s.db = nil
	if err := private.Sync(s.unfinished()); err != nil {
		return err
	}
	if err := os.Rename(s.unfinished(), s.path); err != nil {
		return err
	}
	s.done = true
	return private.Sync(filepath.Dir(s.path))
}

func (s *sqliteTarget) Abandon() error {
	var err error
	if s.db != nil {
		err, s.db = s.db.Close(), nil
	}
	if !s.mine || s.done {
		return err
	}
	return errors.Join(err, s.remove())
}
