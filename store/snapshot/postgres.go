package snapshot

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"

	"parley/core/backup/archive"
	"parley/store"
)

// postgresSource is a transaction that sees what was committed when it began, and locks nothing
// that others write.
type postgresSource struct {
	conn   *pgx.Conn
	tx     pgx.Tx
	tables []table
}

func openPostgres(ctx context.Context, url string) (Source, error) {
	config, err := store.ParsePostgres(url)
	if err != nil {
		return nil, err
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return nil, errors.Join(err, conn.Close(ctx))
	}
	s := &postgresSource{conn: conn, tx: tx}
	if _, err := tx.Exec(ctx, unhurried); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := store.SeeAll(ctx, tx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// unhurried lets statements take as long as they need. With row_security off a role that does not
// see all rows gets an error, and not those that it sees.
const unhurried = "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL row_security = off"

func (s *postgresSource) Close() error { return s.conn.Close(context.Background()) }

func (s *postgresSource) Describe(ctx context.Context) (header archive.Header, err error) {
	applied, err := appliedPostgres(ctx, s.tx)
	if err != nil {
		return header, err
	}
	if s.tables, err = postgresTables(ctx, s.tx, isLeftOut); err != nil {
		return header, err
	}
	for i := range s.tables {
		t := &s.tables[i]
		if err := s.tx.QueryRow(ctx, "SELECT count(*) FROM "+quoted(t.Name)).Scan(&t.Rows); err != nil {
			return header, err
		}
		if t.number == "" {
			continue
		}
		// After the moment it may be higher, which is as well.
		if err := s.tx.QueryRow(ctx, lastNumber, quoted(t.Name), t.number).Scan(&t.Numbered); err != nil {
			return header, err
		}
	}
	return describe(archive.PostgreSQL, applied, s.tables)
}

const lastNumber = "SELECT COALESCE(pg_sequence_last_value(pg_get_serial_sequence($1, $2)::regclass), 0)"

func appliedPostgres(ctx context.Context, tx pgx.Tx) ([]string, error) {
	var there bool
	if err := tx.QueryRow(ctx, "SELECT to_regclass('schema_migrations') IS NOT NULL").Scan(&there); err != nil || !there {
		return nil, err
	}
	rows, err := tx.Query(ctx, "SELECT name FROM schema_migrations ORDER BY name")
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// postgresColumns lists the columns of all tables of the schema, the key's first.
const postgresColumns = `SELECT c.relname, a.attname, format_type(a.atttypid, NULL),
	COALESCE(array_position(k.indkey::int2[], a.attnum), -1) AS place,
	pg_get_serial_sequence(quote_ident(c.relname), a.attname) IS NOT NULL
	FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
	LEFT JOIN pg_index k ON k.indrelid = c.oid AND k.indisprimary
	WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
	ORDER BY c.relname, place, a.attnum`

const postgresReferences = `SELECT DISTINCT c.relname, f.relname FROM pg_constraint k
	JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class f ON f.oid = k.confrelid
	WHERE k.contype = 'f' AND c.relnamespace = current_schema()::regnamespace`

// postgresTables reads the catalog, without some tables.
func postgresTables(ctx context.Context, tx pgx.Tx, without func(table string) bool) (tables []table, err error) {
	rows, err := tx.Query(ctx, postgresColumns)
	if err != nil {
		return nil, err
	}
	var of, name, kind string
	var place int
	var numbered bool
	_, err = pgx.ForEachRow(rows, []any{&of, &name, &kind, &place, &numbered}, func() error {
		if without(of) {
			return nil
		}
		if len(tables) == 0 || tables[len(tables)-1].Name != of {
			tables = append(tables, table{Table: archive.Table{Name: of}})
		}
		t := &tables[len(tables)-1]
		neutral, known := postgresTypes[kind]
		if !known {
			return unknownType(of, name, kind)
		}
		t.Columns = append(t.Columns, archive.Column{Name: name, Type: neutral})
		if place >= 0 {
			t.key = append(t.key, name)
		}
		if numbered {
			t.number = name
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	refersTo := map[string][]string{}
	if rows, err = tx.Query(ctx, postgresReferences); err != nil {
		return nil, err
	}
	if _, err = pgx.ForEachRow(rows, []any{&of, &name}, func() error {
		refersTo[of] = append(refersTo[of], name)
		return nil
	}); err != nil {
		return nil, err
	}
	for i := range tables {
		tables[i].refersTo = refersTo[tables[i].Name]
		tables[i].finish()
	}
	return tables, nil
}

var postgresTypes = map[string]archive.Type{
	"text": archive.Text, "character varying": archive.Text, "bigint": archive.Integer, "integer": archive.Integer, "smallint": archive.Integer,
	"double precision": archive.Real, "boolean": archive.Boolean, "timestamp with time zone": archive.Time, "bytea": archive.Bytes, "jsonb": archive.JSON,
}

func (s *postgresSource) Rows(ctx context.Context, t archive.Table, each func([]any) error) error {
	known := find(s.tables, t.Name)
	rows, err := s.tx.Query(ctx, "SELECT "+strings.Join(expressions(t), ", ")+" FROM "+quoted(t.Name)+" ORDER BY "+orderOf(known))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return err
		}
		if err := each(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// expressions are the columns of a table as Go values of their types.
func expressions(t archive.Table) []string {
	all := make([]string, len(t.Columns))
	for i, column := range t.Columns {
		switch all[i] = quoted(column.Name); column.Type {
		case archive.JSON:
			all[i] += "::text"
		case archive.Integer:
			all[i] += "::bigint"
		}
	}
	return all
}

// orderOf orders by the key, texts as SQLite does.
func orderOf(t table) string {
	var all []string
	for _, name := range t.key {
		order := quoted(name)
		for _, column := range t.Columns {
			if column.Name == name && column.Type == archive.Text {
				order += ` COLLATE "C"`
			}
		}
		all = append(all, order)
	}
	return strings.Join(all, ", ")
}
