package pgtest_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"parley/internal/pgtest"
)

func TestNew(t *testing.T) {
	t.Run("a test gets an empty database", func(t *testing.T) {
		connection := connect(t, pgtest.New(t))

		tables := one[int](t, connection, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
		if tables != 0 {
			t.Errorf("the database has %d tables, want none", tables)
		}
	})

	t.Run("two databases are independent", func(t *testing.T) {
		first, second := connect(t, pgtest.New(t)), connect(t, pgtest.New(t))

		if _, err := first.Exec(t.Context(), "CREATE TABLE letters (id int)"); err != nil {
			t.Fatal(err)
		}
		if one[bool](t, second, "SELECT to_regclass('letters') IS NOT NULL") {
			t.Error("a table of the first database is in the second")
		}
	})

	t.Run("the database is gone when the test has ended, even if a connection is still open", func(t *testing.T) {
		var name string
		t.Run("the test", func(t *testing.T) {
			connection := connect(t, pgtest.New(t))
			name = one[string](t, connection, "SELECT current_database()")
		})

		other := connect(t, pgtest.New(t))
		var left int
		err := other.QueryRow(t.Context(), "SELECT count(*) FROM pg_database WHERE datname = $1", name).Scan(&left)
		if err != nil {
			t.Fatal(err)
		}
		if left != 0 {
			t.Errorf("database %s is still there", name)
		}
	})
}

func TestTemplate(t *testing.T) {
	times := 0
	template := pgtest.NewTemplate(func(url string) error {
		times++
		connection, err := pgx.Connect(t.Context(), url)
		if err != nil {
			return err
		}
		defer connection.Close(t.Context())
		_, err = connection.Exec(t.Context(), "CREATE TABLE letters AS SELECT 7 AS id")
		return err
	})
	first, second := connect(t, template.New(t)), connect(t, template.New(t))

	t.Run("each test has what was prepared once", func(t *testing.T) {
		for _, connection := range []*pgx.Conn{first, second} {
			if got := one[int](t, connection, "SELECT id FROM letters"); got != 7 {
				t.Errorf("the copy has %d", got)
			}
		}
		if times != 1 {
			t.Errorf("it was prepared %d times", times)
		}
	})
	t.Run("what one test writes no other sees", func(t *testing.T) {
		if _, err := first.Exec(t.Context(), "DELETE FROM letters"); err != nil {
			t.Fatal(err)
		}
		if got := one[int](t, second, "SELECT count(*) FROM letters"); got != 1 {
			t.Errorf("the other copy has %d rows", got)
		}
	})
}

func TestNewWithoutAServer(t *testing.T) {
	t.Run("without a server the test fails and says what to run", func(t *testing.T) {
		t.Setenv(pgtest.Variable, "")

		message := fatal(t)
		for _, want := range []string{"make test", "scripts/with-postgres.sh go test ./..."} {
			if !strings.Contains(message, want) {
				t.Errorf("message %q does not name %q", message, want)
			}
		}
	})

	t.Run("a password in a URL that cannot be read stays out of the message", func(t *testing.T) {
		t.Setenv(pgtest.Variable, "postgres://postgres:hunter2@[::1/postgres")

		if message := fatal(t); strings.Contains(message, "hunter2") {
			t.Errorf("message %q shows the password", message)
		}
	})
}

// connect leaves the connection open, which New must cope with.
func connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	return connection
}

// one returns the only column of the only row of a query.
func one[T any](t *testing.T, connection *pgx.Conn, query string) T {
	t.Helper()
	var value T
	if err := connection.QueryRow(t.Context(), query).Scan(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// recorder is a test that records why it failed.
type recorder struct {
	testing.TB
	message string
}

func (r *recorder) Helper() {}

func (r *recorder) Fatalf(format string, args ...any) {
	r.message = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// fatal returns the message with which New fails a test.
func fatal(t *testing.T) string {
	t.Helper()
	double := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		pgtest.New(double)
	}()
	<-done
	if double.message == "" {
		t.Fatal("New did not fail")
	}
	return double.message
}
