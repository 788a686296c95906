// Command diff writes the migration files that bring the databases from the
// newest migration to the schema in ent/schema. It replays the files that are
// there on an empty SQLite file and an empty PostgreSQL database.
//
// With the argument -check it writes nothing that lasts and fails when files
// are missing.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	atlas "ariga.io/atlas/sql/migrate"
	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"entgo.io/ent/dialect/sql/schema"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"parley/ent/migrate"
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
	if err := diff(ctx, sqlite, dialect.SQLite, "migrations/sqlite", name, scratch); err != nil {
		return fmt.Errorf("sqlite: %w", err)
	}
	if err := diff(ctx, postgres, dialect.Postgres, "migrations/postgres", name, scratch); err != nil {
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

func diff(ctx context.Context, db *sql.DB, name, folder, change, scratch string) error {
	check := change == "-check"
	if check {
		copied := filepath.Join(scratch, name)
		if err := os.CopyFS(copied, os.DirFS(folder)); err != nil {
			return err
		}
		folder, change = copied, "check"
	}
	before, err := filepath.Glob(filepath.Join(folder, "*.sql"))
	if err != nil {
		return err
	}
	dir, err := atlas.NewLocalDir(folder)
	if err != nil {
		return err
	}
	m, err := schema.NewMigrate(entsql.OpenDB(name, db),
		schema.WithDir(dir), schema.WithMigrationMode(schema.ModeReplay), schema.WithDialect(name),
		schema.WithFormatter(atlas.DefaultFormatter), schema.WithDropColumn(true), schema.WithDropIndex(true))
	if err != nil {
		return err
	}
	if err := m.NamedDiff(ctx, change, migrate.Tables...); err != nil {
		return err
	}
	after, err := filepath.Glob(filepath.Join(folder, "*.sql"))
	if err != nil {
		return err
	}
	if check && len(after) != len(before) {
		missing, _ := os.ReadFile(after[len(after)-1])
		return fmt.Errorf("the migrations do not match ent/schema; run make migration name=…. Missing:\n%s", missing)
	}
	return nil
}
