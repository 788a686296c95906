package snapshot

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"parley/core/backup/archive"
	"parley/internal/pgtest"
	"parley/store"
)

// place is a database of a version, which tests fill with rows.
type place struct {
	*testing.T
	kind archive.Database
	url  string
}

// onBoth runs a test on both kinds of databases.
func onBoth(t *testing.T, test func(p *place)) {
	t.Helper()
	for _, kind := range []archive.Database{archive.SQLite, archive.PostgreSQL} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			test(empty(t, kind))
		})
	}
}

// empty is a place with nothing.
func empty(t *testing.T, kind archive.Database) *place {
	t.Helper()
	if kind == archive.SQLite {
		return &place{t, kind, "sqlite:" + filepath.Join(t.TempDir(), "parley.db")}
	}
	return &place{t, kind, pgtest.New(t)}
}

func (p *place) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// db opens the database for statements.
func (p *place) db() *sql.DB {
	p.Helper()
	path, isFile := store.FileOf(p.url)
	driver, name := "pgx", p.url
	if isFile {
		driver, name = "sqlite", "file:"+path+"?_pragma=journal_mode(WAL)&_pragma=foreign_keys(1)&_pragma=synchronous(OFF)&_txlock=immediate&_time_format=sqlite"
	}
	db, err := sql.Open(driver, name)
	p.must(err)
	db.SetMaxOpenConns(1)
	return db
}

// migrate applies the first n files, or all of them.
func (p *place) migrate(n int) {
	p.Helper()
	all := filesOf(p.kind)
	chosen := fstest.MapFS{}
	for i, name := range names(all) {
		if n >= 0 && i >= n {
			break
		}
		text, err := fs.ReadFile(all, name)
		p.must(err)
		chosen[name] = &fstest.MapFile{Data: text}
	}
	if p.kind == archive.SQLite {
		db := p.db()
		defer db.Close()
		p.must(store.MigrateFile(p.Context(), db, chosen))
		return
	}
	p.inPostgres(func(tx pgx.Tx) error { return store.MigrateWithin(p.Context(), tx, chosen) })
}

func (p *place) inPostgres(do func(tx pgx.Tx) error) {
	p.Helper()
	conn, err := pgx.Connect(p.Context(), p.url)
	p.must(err)
	defer conn.Close(context.Background())
	p.must(pgx.BeginFunc(p.Context(), conn, do))
}

// isRivers says which tables are not filled: the queue's own, of types that no other has.
func isRivers(name string) bool {
	return strings.HasPrefix(name, "river_") || name == "schema_migrations"
}

// tables are all tables of the database, those that a backup leaves out included.
func (p *place) tables() (tables []table) {
	p.Helper()
	if p.kind == archive.PostgreSQL {
		p.inPostgres(func(tx pgx.Tx) (err error) {
			tables, err = postgresTables(p.Context(), tx, isRivers)
			return err
		})
	} else {
		db := p.db()
		defer db.Close()
		tx, err := db.BeginTx(p.Context(), nil)
		p.must(err)
		defer func() { _ = tx.Rollback() }()
		tables, err = sqliteTables(p.Context(), tx, isRivers)
		p.must(err)
	}
	tables, err := inOrder(tables)
	p.must(err)
	return tables
}

// rowsEach is how many rows each table gets.
const rowsEach = 6

// fill fills every table with rows that its constraints allow: of every type, with and without
// values, and in the states that migrations tell apart.
func (p *place) fill() {
	p.Helper()
	db := p.db()
	defer db.Close()
	tx, err := db.BeginTx(p.Context(), nil)
	p.must(err)
	defer func() { _ = tx.Rollback() }()
	tables := p.references(tx)
	for _, t := range tables {
		places := make([]string, len(t.Columns))
		for i := range places {
			places[i] = fmt.Sprintf("$%d", i+1)
		}
		insert := "INSERT INTO " + quoted(t.Name) + " (" + quotedList(columnNames(t.Table)) + ") VALUES (" + strings.Join(places, ", ") + ")"
		for n := range rowsEach {
			values := make([]any, len(t.Columns))
			for i, column := range t.Columns {
				values[i] = valueOf(t, column, n)
			}
			if _, err := tx.ExecContext(p.Context(), insert, values...); err != nil {
				p.Fatalf("a row of %s is refused: %v: %v", t.Name, err, values)
			}
		}
	}
	p.must(tx.Commit())
}

// generated is a table with what its columns have to be.
type generated struct {
	table
	// parents are the tables that columns refer to.
	parents map[string]string
	// optional are the columns that may be without a value.
	optional map[string]bool
}

// references reads what the values of columns depend on.
func (p *place) references(tx *sql.Tx) (all []generated) {
	p.Helper()
	parents := `SELECT f."table" || ' ' || f."from" FROM pragma_foreign_key_list($1) f`
	optional := `SELECT name FROM pragma_table_info($1) WHERE "notnull" = 0 AND pk = 0`
	if p.kind == archive.PostgreSQL {
		parents = `SELECT f.relname || ' ' || a.attname FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class f ON f.oid = k.confrelid
			JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1] WHERE k.contype = 'f' AND c.relname = $1`
		optional = `SELECT attname FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attnotnull AND NOT attisdropped`
	}
	for _, t := range p.tables2(tx) {
		g := generated{t, map[string]string{}, map[string]bool{}}
		rows, err := tx.QueryContext(p.Context(), parents, t.Name)
		p.must(err)
		pairs, err := texts(rows)
		p.must(err)
		for _, pair := range pairs {
			of, column, _ := strings.Cut(pair, " ")
			g.parents[column] = of
		}
		optionals, err := tx.QueryContext(p.Context(), optional, t.Name)
		p.must(err)
		columns, err := texts(optionals)
		p.must(err)
		for _, column := range columns {
			g.optional[column] = true
		}
		all = append(all, g)
	}
	return all
}

// tables2 is tables within a transaction that holds the only connection to a file.
func (p *place) tables2(tx *sql.Tx) []table {
	p.Helper()
	if p.kind == archive.PostgreSQL {
		return p.tables()
	}
	tables, err := sqliteTables(p.Context(), tx, isRivers)
	p.must(err)
	tables, err = inOrder(tables)
	p.must(err)
	return tables
}

// vocabulary has the words of columns whose words migrations tell apart.
var vocabulary = map[string][]string{
	"state": {"ready", "pending", "failed", "removing", "fetching", "indexing"}, "status": {"complete", "active", "failed", "stopped", "generating", "interrupted"},
	"role": {"user", "assistant", "owner", "admin", "member", "owner"}, "kind": {"text", "markdown", "page", "secret", "publishable", "refund"},
	"plan": {"starter", "basic", "standard", "premium", "enterprise", "starter"}, "url": {"", "https://example.com/a", "", "", "https://example.com/b", ""},
	"month": {"2026-01", "2026-02", "2026-03", "2026-04", "2026-05", "2026-06"},
}

// firstNumber is where numbered rows begin.
const firstNumber = 1001

func valueOf(t generated, column archive.Column, n int) any {
	of, refers := t.parents[column.Name]
	isKey := slices.Equal(t.key, []string{column.Name})
	switch {
	case refers && column.Type == archive.Integer || isKey && column.Type == archive.Integer:
		return int64(firstNumber + n)
	case refers:
		return fmt.Sprintf("%s_%d", of, n)
	case isKey:
		return fmt.Sprintf("%s_%d", t.Name, n)
	case t.optional[column.Name] && n%3 == 0:
		return nil
	case vocabulary[column.Name] != nil:
		return vocabulary[column.Name][n]
	case column.Name == "workspace_id":
		return fmt.Sprintf("workspaces_%d", n)
	}
	switch column.Type {
	case archive.Integer:
		return []int64{0, 1, 2, 3, 1<<53 + 1, -1}[n] + int64(10*n)
	case archive.Real:
		return 0.1 + float64(n)
	case archive.Boolean:
		return n%2 == 0
	case archive.Time:
		return time.Date(2026, 3, 1, n, 0, 0, 123456000, time.UTC)
	case archive.Bytes:
		content := make([]byte, 256*n)
		for i := range content {
			content[i] = byte(i)
		}
		return content
	case archive.JSON:
		return []string{"[]", `["a"]`, `[]`, `["b", "c"]`, `["é 😀 \" \u0001"]`, "[]"}[n]
	}
	return fmt.Sprintf("%s %d \"it's\" é 😀\n\ttab", column.Name, n)
}

// rows are all rows of a table as a backup has them, by key.
func (p *place) rows(t table) map[string]map[string]any {
	p.Helper()
	all := map[string]map[string]any{}
	source, err := Open(p.Context(), p.url)
	p.must(err)
	defer source.Close()
	switch s := source.(type) {
	case *sqliteSource:
		s.tables = []table{t}
	case *postgresSource:
		s.tables = []table{t}
	}
	p.must(source.Rows(p.Context(), t.Table, func(values []any) error {
		row, key := map[string]any{}, ""
		for i, column := range t.Columns {
			cell, err := archive.AppendRow(nil, t.Columns[i:i+1], values[i:i+1])
			if err != nil {
				return err
			}
			row[column.Name] = string(cell)
			if slices.Contains(t.key, column.Name) {
				key += string(cell)
			}
		}
		all[key] = row
		return nil
	}))
	return all
}
