// Command diff writes the migration files that bring the databases from the
// newest migration to the schema in ent/schema. It replays the files that are
// there on an empty SQLite file and an empty PostgreSQL database. A test of
// package store holds the files to the schema.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"entgo.io/ent/dialect"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"parley/ent/migrate/differ"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: make migration name=what_changes")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "migration:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, name string) error {
	scratch, err := os.MkdirTemp("", "parley-migration")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	sqlite, err := sql.Open("sqlite", filepath.Join(scratch, "empty.db")+"?_pragma=foreign_keys(1)")
	if err != nil {
		return err
	}
	defer sqlite.Close()
	postgres, err := openPostgres()
	if err != nil {
		return err
	}
	defer postgres.Close()
	if err := differ.Write(ctx, sqlite, dialect.SQLite, "migrations/sqlite", name); err != nil {
		return fmt.Errorf("sqlite: %w", err)
	}
	if err := differ.Write(ctx, postgres, dialect.Postgres, "migrations/postgres", name); err != nil {
		return fmt.Errorf("postgres: %w", err)
	}
	return nil
}

func openPostgres() (*sql.DB, error) {
	url := os.Getenv("PARLEY_TEST_POSTGRES")
	if url == "" {
		return nil, errors.New("PARLEY_TEST_POSTGRES is not set; run make migration name=…")
	}
	return sql.Open("pgx", url)
}
