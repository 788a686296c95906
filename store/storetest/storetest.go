// Package storetest gives tests databases that have the schema and nothing else.
//
// Migrating takes longer than most tests, so it is done once for each kind of database,
// and each test gets a copy.
package storetest

import (
	"context"
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
	path := filepath.Join(t.TempDir(), "parley.db")
	File(t, path)
	return scheme + path
}

var onSQLite = sync.OnceValues(func() (content []byte, err error) {
	folder, err := os.MkdirTemp("", "parley-schema-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "parley.db")
	if err := migrate(scheme + path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// File writes an SQLite file.
func File(t testing.TB, path string) {
	t.Helper()
	content, err := onSQLite()
	if err != nil {
		t.Fatalf("prepare the file that tests copy: %v", err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
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
