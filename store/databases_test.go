package store

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/core/fault"
	"parley/internal/pgtest"
)

// patience bounds every wait of these tests for something that must come.
const patience = 30 * time.Second

// epoch is a time in the precision that both databases keep.
var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

var errTest = errors.New("refused by the test")

// bundle is an open store with calls that fail the test on an error.
type bundle struct {
	*testing.T
	*Store
	url string
}

// onBothDatabases runs a test on an empty SQLite file and on an empty
// PostgreSQL database.
func onBothDatabases(t *testing.T, test func(b *bundle)) {
	t.Helper()
	for name, database := range map[string]func(*testing.T) string{
		"sqlite":   sqliteURL,
		"postgres": func(t *testing.T) string { return pgtest.New(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openBundle(t, database(t)))
		})
	}
}

func sqliteURL(t *testing.T) string { return sqliteScheme + filepath.Join(t.TempDir(), "parley.db") }

func openBundle(t *testing.T, url string) *bundle {
	t.Helper()
	s, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing the store: %v", err)
		}
	})
	return &bundle{T: t, Store: s, url: url}
}

func (b *bundle) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bundle) wantKind(err error, kind fault.Kind) {
	b.Helper()
	if !fault.Is(err, kind) {
		b.Errorf("the error is %v, want a fault of kind %d", err, kind)
	}
}

// count is the number of rows of a query that returns one.
func (b *bundle) count(query string) int {
	b.Helper()
	var n int
	b.must(b.reads.QueryRowContext(context.WithoutCancel(b.Context()), query).Scan(&n))
	return n
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it did not come about that %s", what)
		}
	}
}

// receive waits for what a channel must bring.
func receive[T any](t *testing.T, what string, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(patience):
		t.Fatalf("it did not come about that %s", what)
		panic("unreachable")
	}
}

func contains(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("the error is %v, want one that says %q", err, text)
	}
}
