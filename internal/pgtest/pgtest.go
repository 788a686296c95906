// Package pgtest gives each test its own PostgreSQL database.
//
// It creates and removes such databases, and breaks connections to them at chosen moments
// (Proxy). It does not own the server:
// scripts/with-postgres.sh starts one and names it in PARLEY_TEST_POSTGRES. Nor does it
// own the schema: the test migrates.
package pgtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"parley/internal/testinputs"
)

// Variable names the environment variable with the superuser URL of the server on which
// databases are created.
const Variable = "PARLEY_TEST_POSTGRES"

// patience limits one statement on a machine busy with other tests.
const patience = time.Minute

// New creates an empty database and returns its URL for a superuser. It drops the
// database when the test ends, despite open connections. Without a server the test
// fails and says how to get one.
func New(t testing.TB) string {
	t.Helper()
	return create(t, address(t), "")
}

// address returns the server's address.
func address(t testing.TB) *url.URL {
	t.Helper()
	testinputs.Use()
	server := os.Getenv(Variable)
	if server == "" {
		t.Fatalf("%s is not set: this test needs a PostgreSQL server. Run `make test`, or `scripts/with-postgres.sh go test ./...`.", Variable)
	}
	address, err := url.Parse(server)
	if err != nil {
		t.Fatalf("%s is not a postgres:// URL.", Variable)
	}
	return address
}

// create creates a database until the test ends.
func create(t testing.TB, address *url.URL, options string) string {
	t.Helper()
	server := address.String()
	name := "test_" + strings.ToLower(rand.Text())
	if err := execute(server, "CREATE DATABASE "+name+options); err != nil {
		t.Fatalf("create a database on the server that %s names: %v", Variable, err)
	}
	t.Cleanup(func() {
		if err := execute(server, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("drop the test's database: %v", err)
		}
	})
	at := *address
	at.Path = "/" + name
	return at.String()
}

// execute runs one statement on its own connection, because neither statement of this
// package can run inside a transaction.
func execute(server, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()

	connection, err := pgx.Connect(ctx, server)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer connection.Close(ctx)

	_, err = connection.Exec(ctx, statement)
	return err
}
