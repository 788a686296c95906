package jobs

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"

	"parley/internal/pgtest"
)

const differs = "Our migrations do not produce River's schema. Write a migration for both databases that does what River's new migrations do."

func TestOurMigrationsMakeRiversSchemaOnSQLite(t *testing.T) {
	t.Parallel()
	ours := openFile(t, newFixture(t, sqliteURL(t)).url)
	rivers := openFile(t, sqliteURL(t))
	migrate(t, riversqlite.New(rivers))

	const objects = "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_master WHERE tbl_name LIKE 'river%'"
	const versions = "SELECT line || ' ' || version FROM river_migration"
	compare(t, normalized(column(t, ours, objects)), normalized(column(t, rivers, objects)))
	compare(t, column(t, ours, versions), column(t, rivers, versions))
}

func TestOurMigrationsMakeRiversSchemaOnPostgres(t *testing.T) {
	t.Parallel()
	our, river := newFixture(t, pgtest.New(t)).url, pgtest.New(t)
	pool, err := pgxpool.New(t.Context(), river)
	if err != nil {
		t.Fatal(err)
	}
	migrate(t, riverpgxv5.New(pool))
	pool.Close()

	ours, rivers := openURL(t, our), openURL(t, river)
	for _, query := range []string{
		`SELECT concat_ws(' ', relname, relkind, relpersistence) FROM pg_class
			WHERE relname LIKE 'river%' AND relkind IN ('r', 'v', 'm', 'S')`,
		`SELECT concat_ws(' ', table_name, ordinal_position, column_name, data_type, udt_name, character_maximum_length,
			column_default, is_nullable) FROM information_schema.columns WHERE table_name LIKE 'river%'`,
		// River's own migrations leave one key with a 1 at the end of its name.
		`SELECT replace(indexdef, '_pkey1', '_pkey') FROM pg_indexes WHERE tablename LIKE 'river%'`,
		`SELECT concat_ws(' ', conrelid::regclass, replace(conname, '_pkey1', '_pkey'), pg_get_constraintdef(oid)) FROM pg_constraint
			WHERE conrelid::regclass::text LIKE 'river%'`,
		`SELECT concat_ws(' ', typname, enumlabel, row_number() OVER (PARTITION BY typname ORDER BY enumsortorder))
			FROM pg_enum JOIN pg_type ON pg_type.oid = enumtypid WHERE typname LIKE 'river%'`,
		`SELECT pg_get_functiondef(oid) FROM pg_proc WHERE proname LIKE 'river%'`,
		`SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid::regclass::text LIKE 'river%'`,
		`SELECT concat_ws(' ', line, version) FROM river_migration`,
	} {
		compare(t, normalized(column(t, ours, query)), normalized(column(t, rivers, query)))
	}
}

func migrate[T any](t *testing.T, driver riverdriver.Driver[T]) {
	t.Helper()
	migrator, err := rivermigrate.New(driver, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := migrator.Migrate(t.Context(), rivermigrate.DirectionUp, nil); err != nil {
		t.Fatal(err)
	}
}

func openFile(t *testing.T, url string) *sql.DB {
	t.Helper()
	return openDB(t, "sqlite", strings.TrimPrefix(url, "sqlite:"))
}

func openURL(t *testing.T, url string) *sql.DB {
	t.Helper()
	return openDB(t, "pgx", url)
}

func openDB(t *testing.T, driver, name string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, name)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

// column returns the sorted values of a query's column.
func column(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.QueryContext(context.WithoutCancel(t.Context()), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var values []string
	for rows.Next() {
		var value string
		if err := rows.Scan(&value); err != nil {
			t.Fatal(err)
		}
		values = append(values, value)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(values)
	return values
}

var (
	comment = regexp.MustCompile(`--[^\n]*`)
	space   = regexp.MustCompile(`\s+`)
)

// normalized returns statements without comments and extra white space.
func normalized(statements []string) []string {
	for i, text := range statements {
		statements[i] = strings.TrimSpace(space.ReplaceAllString(comment.ReplaceAllString(text, ""), " "))
	}
	return statements
}

func compare(t *testing.T, ours, rivers []string) {
	t.Helper()
	if slices.Equal(ours, rivers) {
		return
	}
	t.Error(differs)
	for _, text := range rivers {
		if !slices.Contains(ours, text) {
			t.Error(fmt.Sprint("missing: ", text))
		}
	}
	for _, text := range ours {
		if !slices.Contains(rivers, text) {
			t.Error(fmt.Sprint("not River's: ", text))
		}
	}
}
