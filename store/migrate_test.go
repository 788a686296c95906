package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"entgo.io/ent/dialect"
	"github.com/jackc/pgx/v5"

	"parley/ent/migrate/differ"
	"parley/internal/pgtest"
	"parley/migrations"
	"parley/store"
	billingstore "parley/store/billing"
)

// target is an empty database that migrations are applied to.
type target struct {
	*testing.T
	dialect string
	folder  string
	db      *sql.DB
	url     string
	apply   func(files fs.FS) error
	files   fs.FS
}

func onBothTargets(t *testing.T, test func(to *target)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { t.Parallel(); test(sqliteTarget(t)) })
	t.Run("postgres", func(t *testing.T) { t.Parallel(); test(postgresTarget(t)) })
}

func sqliteTarget(t *testing.T) *target {
	t.Helper()
	url := sqliteURL(t)
	db, err := sql.Open("sqlite", "file:"+strings.TrimPrefix(url, store.SQLiteScheme)+"?"+store.SQLiteWrites)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1) // as the server does
	t.Cleanup(func() { db.Close() })
	return &target{
		T: t, dialect: dialect.SQLite, folder: "../migrations/sqlite", db: db, url: url, files: migrations.SQLite(),
		apply: func(files fs.FS) error { return store.MigrateFile(t.Context(), db, files) },
	}
}

func postgresTarget(t *testing.T) *target {
	t.Helper()
	url := pgtest.New(t)
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return &target{
		T: t, dialect: dialect.Postgres, folder: "../migrations/postgres", db: db, url: url, files: migrations.Postgres(),
		apply: func(files fs.FS) error { return store.MigratePostgres(t.Context(), config, files) },
	}
}

func (to *target) must(err error) {
	to.Helper()
	if err != nil {
		to.Fatal(err)
	}
}

func (to *target) exec(statements ...string) {
	to.Helper()
	for _, statement := range statements {
		_, err := to.db.ExecContext(to.Context(), statement)
		to.must(err)
	}
}

func (to *target) count(query string) int {
	to.Helper()
	var n int
	to.must(to.db.QueryRowContext(to.Context(), query).Scan(&n))
	return n
}

// with are the files of the program and more.
func (to *target) with(more map[string]string) fstest.MapFS {
	to.Helper()
	all := fstest.MapFS{}
	names, err := fs.Glob(to.files, "*.sql")
	to.must(err)
	for _, name := range names {
		text, err := fs.ReadFile(to.files, name)
		to.must(err)
		all[name] = &fstest.MapFile{Data: text}
	}
	for name, text := range more {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

func TestMigrationsMatchTheSchema(t *testing.T) {
	onBothTargets(t, func(to *target) {
		missing, err := differ.Missing(to.Context(), to.db, to.dialect, os.DirFS(to.folder), filepath.Join(to.TempDir(), "scratch"))
		to.must(err)
		if missing != "" {
			to.Errorf("the files in %s do not match ent/schema; run make migration name=what_changes. Missing:\n%s", to.folder, missing)
		}
	})
}

func TestMissingMigrationsAreNoticed(t *testing.T) {
	onBothTargets(t, func(to *target) {
		missing, err := differ.Missing(to.Context(), to.db, to.dialect, fstest.MapFS{}, filepath.Join(to.TempDir(), "scratch"))
		to.must(err)
		if !strings.Contains(missing, "CREATE TABLE") {
			to.Errorf("without any file, %q is missing", missing)
		}
	})
}

func TestMigrationsAreEmbedded(t *testing.T) {
	onBothTargets(t, func(to *target) {
		inFolder, err := filepath.Glob(filepath.Join(to.folder, "*.sql"))
		to.must(err)
		embedded, err := fs.Glob(to.files, "*.sql")
		to.must(err)
		if len(embedded) == 0 || len(embedded) != len(inFolder) {
			to.Errorf("%d files are embedded of %d", len(embedded), len(inFolder))
		}
	})
}

func TestManyStartersOnOneEmptyDatabase(t *testing.T) {
	onBothTargets(t, func(to *target) {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				s, err := store.Open(to.Context(), to.url)
				if err != nil {
					to.Errorf("a starter fails: %v", err)
					return
				}
				if plans, err := billingstore.NewPlans(s).Plans(to.Context()); err != nil || len(plans) != 5 {
					to.Errorf("a starter sees %d plans: %v", len(plans), err)
				}
				if err := s.Close(); err != nil {
					to.Error(err)
				}
			})
		}
		all.Wait()
		names, err := fs.Glob(to.files, "*.sql")
		to.must(err)
		if n := to.count("SELECT count(*) FROM schema_migrations"); n != len(names) {
			to.Errorf("%d files are recorded as applied, want %d", n, len(names))
		}
	})
}

func TestRefusedMigrations(t *testing.T) {
	const later = "20990101000000_later.sql"
	onBothTargets(t, func(to *target) {
		to.must(to.apply(to.with(map[string]string{later: "CREATE TABLE later (id integer PRIMARY KEY);"})))

		to.Run("a database newer than the program is refused", func(t *testing.T) {
			err := to.apply(to.files)
			contains(t, err, later)
			contains(t, err, "Use the newer program")
			_, err = store.Open(t.Context(), to.url)
			contains(t, err, "Use the newer program")
		})
		to.Run("a file that was changed after it was applied is refused", func(t *testing.T) {
			contains(t, to.apply(to.with(map[string]string{later: "CREATE TABLE other (id integer);"})), "Restore its file")
		})
		to.Run("a file that comes before an applied one is refused", func(t *testing.T) {
			between := "20980101000000_between.sql"
			err := to.apply(to.with(map[string]string{later: "CREATE TABLE later (id integer PRIMARY KEY);", between: "SELECT 1;"}))
			contains(t, err, between)
		})
		to.Run("applying what is applied does nothing", func(t *testing.T) {
			if err := to.apply(to.with(map[string]string{later: "CREATE TABLE later (id integer PRIMARY KEY);"})); err != nil {
				t.Error(err)
			}
		})
	})
}

func TestAFailingMigrationLeavesNothing(t *testing.T) {
	onBothTargets(t, func(to *target) {
		good, bad := "20990101000000_good.sql", "20990102000000_bad.sql"
		broken := map[string]string{
			good: "CREATE TABLE good (id integer PRIMARY KEY);",
			bad:  "CREATE TABLE half (id integer PRIMARY KEY); INSERT INTO nowhere VALUES (1);",
		}
		contains(to.T, to.apply(to.with(broken)), bad)
		if n := to.count(to.tables()); n != 0 {
			to.Errorf("%d tables are there after all failed", n)
		}
		// The same on a database that is in use.
		to.must(to.apply(to.files))
		before := to.count(to.tables())
		contains(to.T, to.apply(to.with(broken)), bad)
		if after := to.count(to.tables()); after != before {
			to.Errorf("there were %d tables, and are %d", before, after)
		}
		to.must(to.apply(to.with(map[string]string{good: broken[good]})))
	})
}

// tables counts the tables of the database.
func (to *target) tables() string {
	if to.dialect == dialect.SQLite {
		return "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
	}
	return "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'"
}

// rebuilt is what ent writes to change a column's definition on SQLite, where
// tables are rebuilt.
const rebuilt = "-- Disable the enforcement of foreign-keys constraints\nPRAGMA foreign_keys = off;\n" +
	"-- Create \"new_workspaces\" table\nCREATE TABLE `new_workspaces` (`id` text NOT NULL, `name` text NOT NULL DEFAULT (''), " +
	"`plan` text NOT NULL, `granted_plan` text NOT NULL, `granted_until` datetime NULL, `kept_before` datetime NULL, `kept_days` integer NOT NULL, `delete_at` datetime NULL, `second_factor_required` bool NOT NULL, `created_at` datetime NOT NULL, PRIMARY KEY (`id`));\n" +
	"-- Copy rows from old table \"workspaces\" to new temporary table \"new_workspaces\"\n" +
	"INSERT INTO `new_workspaces` SELECT * FROM `workspaces`;\n" +
	"-- Drop \"workspaces\" table after copying rows\nDROP TABLE `workspaces`;\n" +
	"-- Rename temporary table \"new_workspaces\" to \"workspaces\"\nALTER TABLE `new_workspaces` RENAME TO `workspaces`;\n" +
	"-- Enable back the enforcement of foreign-keys constraints\nPRAGMA foreign_keys = on;\n"

func TestSQLiteRebuildsATable(t *testing.T) {
	const file = "20990101000000_rebuild.sql"

	t.Run("no row that belongs to one of its rows is lost", func(t *testing.T) {
		to := sqliteTarget(t)
		before := to.filled()
		to.must(to.apply(to.with(map[string]string{file: rebuilt})))
		s := &bundle{T: t, everything: allOf(store.OnReads(to.db))}
		if after := s.rows("ws_a"); after != before {
			t.Errorf("the rows were\n%s\nand are\n%s", before, after)
		}
		// The rebuilt table is what the others refer to, and keys are enforced.
		_, err := to.db.ExecContext(t.Context(), "UPDATE chatbots SET workspace_id = 'nobody'")
		contains(t, err, "FOREIGN KEY")
		to.exec("DELETE FROM workspaces")
		if n := to.count("SELECT count(*) FROM messages"); n != 0 {
			t.Errorf("%d messages outlive their workspace", n)
		}
	})

	t.Run("one that forgets rows which others refer to is refused, and changes nothing", func(t *testing.T) {
		to := sqliteTarget(t)
		before := to.filled()
		forgetful := strings.ReplaceAll(rebuilt, "FROM `workspaces`;", "FROM `workspaces` WHERE false;")
		contains(t, to.apply(to.with(map[string]string{file: forgetful})), "broke a foreign key")
		s := &bundle{T: t, everything: allOf(store.OnReads(to.db))}
		if after := s.rows("ws_a"); after != before {
			t.Errorf("the rows were\n%s\nand are\n%s", before, after)
		}
	})
}

// filled fills the database with a workspace and returns its rows.
func (to *target) filled() string {
	to.Helper()
	s, err := store.Open(to.Context(), to.url)
	to.must(err)
	b := &bundle{T: to.T, everything: allOf(s), url: to.url}
	b.fill("a")
	rows := b.rows("ws_a")
	to.must(s.Close())
	return rows
}

func TestPostgresMigrationsWaitForEachOther(t *testing.T) {
	to := postgresTarget(t)
	tx, err := to.db.BeginTx(t.Context(), nil)
	to.must(err)
	_, err = tx.ExecContext(t.Context(), fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", store.MigrationLock))
	to.must(err)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	opened := make(chan error, 1)
	go func() {
		s, err := store.Open(ctx, to.url)
		if err == nil {
			err = s.Close()
		}
		opened <- err
	}()
	eventually(t, "the starter waits for the lock", func() bool {
		return to.count("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())") == 1
	})
	if n := to.count(to.tables()); n != 0 {
		t.Errorf("%d tables were made beside the lock", n)
	}
	to.must(tx.Rollback())
	if err := receive(t, "the starter goes on", opened); err != nil {
		t.Error(err)
	}
}
