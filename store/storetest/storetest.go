// Package storetest gives tests databases that have the schema and nothing else.
//
// Migrating takes longer than most tests, so it is done once for each kind of database,
// and each test gets a copy.
package storetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"parley/internal/pgtest"
	"parley/store"
)

// scheme begins the URL of a file.
const scheme = "sqlite:"

var onPostgres = pgtest.NewTemplate(migrate)

// Postgres creates a PostgreSQL database and returns its URL for a superuser. It is
// dropped when the test ends.
func Postgres(t testing.TB) string {
	t.Helper()
	return onPostgres.New(t)
}

// SQLite creates a file in the test's own folder and returns its URL.
func SQLite(t testing.TB) string {
	t.Helper()
	return onSQLite.New(t)
}

var onSQLite = NewTemplate(func(context.Context, *store.Store) error { return nil })

// File writes an SQLite file.
func File(t testing.TB, path string) {
	t.Helper()
	onSQLite.File(t, path)
}

// Template is an SQLite file that is made once, with what a package's tests begin with,
// and of which each test gets a copy. It is safe for concurrent use.
type Template struct{ content func() ([]byte, error) }

// NewTemplate returns a template of a database that has the schema, and what fill adds.
func NewTemplate(fill func(context.Context, *store.Store) error) *Template {
	return &Template{sync.OnceValues(func() (content []byte, err error) {
		folder, err := os.MkdirTemp("", "parley-template-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(folder)
		path := filepath.Join(folder, "parley.db")
		s, err := store.Open(context.Background(), scheme+path)
		if err != nil {
			return nil, err
		}
		if err := errors.Join(fill(context.Background(), s), s.Close()); err != nil {
			return nil, err
		}
		return os.ReadFile(path)
	})}
}

// New copies the template into the test's own folder and returns the copy's URL.
func (m *Template) New(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "parley.db")
	m.File(t, path)
	return scheme + path
}

// File copies the template to a path.
func (m *Template) File(t testing.TB, path string) {
	t.Helper()
	content, err := m.content()
	if err != nil {
		t.Fatalf("prepare the file that tests copy: %v", err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Open opens a copy of the template, until the test ends.
func (m *Template) Open(t testing.TB) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), m.New(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func migrate(url string) error {
	s, err := store.Open(context.Background(), url)
	if err != nil {
		return err
	}
	return s.Close()
}

// EmptyPostgres creates a PostgreSQL database with nothing in it, not even the schema.
func EmptyPostgres(t testing.TB) string {
	t.Helper()
	return pgtest.New(t)
}
