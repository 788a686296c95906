package snapshot

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"parley/core/backup/archive"
	"parley/core/fault"
	"parley/store"
)

// sqliteSource is a transaction that only reads: with a log ahead of writing (WAL) it sees what was
// committed when it began, and holds up no writer.
type sqliteSource struct {
	db     *sql.DB
	tx     *sql.Tx
	tables []table
}

func openSQLite(ctx context.Context, path string) (Source, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fault.Wrap(fault.NotFound, err, "There is no database to back up. Set DATA_DIR or DATABASE_URL to those of the server")
	}
	db, err := store.ReadFile(path)
	if err != nil {
		return nil, err
	}
	tx, err := db.BeginTx(ctx, nil) // the first statement begins the moment
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &sqliteSource{db: db, tx: tx}, nil
}

func (s *sqliteSource) Close() error {
	return errors.Join(s.tx.Rollback(), s.db.Close())
}

func (s *sqliteSource) Describe(ctx context.Context) (header archive.Header, err error) {
	applied, err := appliedSQLite(ctx, s.tx)
	if err != nil {
		return header, err
	}
	if s.tables, err = sqliteTables(ctx, s.tx, isLeftOut); err != nil {
		return header, err
	}
	for i := range s.tables {
		t := &s.tables[i]
		if err := s.tx.QueryRowContext(ctx, "SELECT count(*) FROM "+quoted(t.Name)).Scan(&t.Rows); err != nil {
			return header, err
		}
		if t.number == "" {
			continue
		}
		err := s.tx.QueryRowContext(ctx, "SELECT seq FROM sqlite_sequence WHERE name = ?", t.Name).Scan(&t.Numbered)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return header, err
		}
	}
	return describe(archive.SQLite, applied, s.tables)
}

func appliedSQLite(ctx context.Context, tx *sql.Tx) (applied []string, err error) {
	var there int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master WHERE name = 'schema_migrations'").Scan(&there); err != nil || there == 0 {
		return nil, err
	}
	rows, err := tx.QueryContext(ctx, "SELECT name FROM schema_migrations ORDER BY name")
	if err != nil {
		return nil, err
	}
	return texts(rows)
}

func texts(rows *sql.Rows) (all []string, err error) {
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, rows.Err()
}

// sqliteTables reads the catalog, without some tables.
func sqliteTables(ctx context.Context, tx *sql.Tx, without func(table string) bool) (tables []table, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name")
	if err != nil {
		return nil, err
	}
	names, err := texts(rows)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if without(name) {
			continue
		}
		t := table{Table: archive.Table{Name: name}}
		if err := sqliteColumns(ctx, tx, &t); err != nil {
			return nil, err
		}
		rows, err := tx.QueryContext(ctx, `SELECT DISTINCT "table" FROM pragma_foreign_key_list(?)`, name)
		if err != nil {
			return nil, err
		}
		if t.refersTo, err = texts(rows); err != nil {
			return nil, err
		}
		t.finish()
		tables = append(tables, t)
	}
	return tables, nil
}

func sqliteColumns(ctx context.Context, tx *sql.Tx, t *table) error {
	rows, err := tx.QueryContext(ctx, "SELECT name, lower(type), pk FROM pragma_table_info(?) ORDER BY pk, cid", t.Name)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var name, kind string
		var place int
		if err := rows.Scan(&name, &kind, &place); err != nil {
			return err
		}
		neutral, known := sqliteTypes[kind]
		if !known {
			return unknownType(t.Name, name, kind)
		}
		t.Columns = append(t.Columns, archive.Column{Name: name, Type: neutral})
		if place > 0 {
			t.key = append(t.key, name)
		}
		if place == 1 && neutral == archive.Integer {
			t.number = name
		}
	}
	return rows.Err()
}

var sqliteTypes = map[string]archive.Type{
	"text": archive.Text, "integer": archive.Integer, "real": archive.Real, "bool": archive.Boolean,
	"datetime": archive.Time, "blob": archive.Bytes, "json": archive.JSON,
}

func (s *sqliteSource) Rows(ctx context.Context, t archive.Table, each func([]any) error) error {
	query := "SELECT " + quotedList(columnNames(t)) + " FROM " + quoted(t.Name) + " ORDER BY " + quotedList(find(s.tables, t.Name).key)
	rows, err := s.tx.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	values, into := make([]any, len(t.Columns)), make([]any, len(t.Columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i, column := range t.Columns {
			if values[i], err = fromSQLite(column, values[i]); err != nil {
				return err
			}
		}
		if err := each(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// fromSQLite makes a value of its column's type: SQLite has columns of types, and values of others.
func fromSQLite(column archive.Column, value any) (any, error) {
	switch v := value.(type) {
	case []byte:
		if column.Type == archive.Text || column.Type == archive.JSON {
			return string(v), nil
		}
	case int64:
		switch column.Type {
		case archive.Boolean:
			return v != 0, nil
		case archive.Real:
			return float64(v), nil
		case archive.JSON: // JSON's numbers become SQLite's
			return fmt.Sprint(v), nil
		}
	case float64:
		if column.Type == archive.JSON {
			return fmt.Sprint(v), nil
		}
	case string:
		if column.Type == archive.Time {
			return parseTime(v)
		}
	}
	return value, nil
}

// timeLayouts are how times stand in SQLite: as the driver writes them, and as CURRENT_TIMESTAMP does.
var timeLayouts = []string{"2006-01-02 15:04:05.999999999-07:00", "2006-01-02 15:04:05.999999999", time.RFC3339Nano}

func parseTime(text string) (any, error) {
	for _, layout := range timeLayouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), nil
		}
	}
	return nil, fmt.Errorf("%.40q is no time", text)
}

// quoted is a name in a statement, of either database.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func quotedList(names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = quoted(name)
	}
	return strings.Join(all, ", ")
}
