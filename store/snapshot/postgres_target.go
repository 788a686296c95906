package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"parley/core/backup/archive"
	"parley/migrations"
	"parley/store"
)

// postgresTarget fills a database within one transaction: PostgreSQL undoes it when the connection
// ends, whatever ends it.
type postgresTarget struct {
	url    string
	conn   *pgx.Conn
	tx     pgx.Tx
	tables []table
}

// anyTable reports whether the schema has a table that is no extension's.
const anyTable = `SELECT EXISTS (SELECT 1 FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
	AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e'))`

func (s *postgresTarget) Prepare(ctx context.Context, header archive.Header) error {
	files, err := upTo(archive.PostgreSQL, header)
	if err != nil {
		return err
	}
	config, err := store.ParsePostgres(s.url)
	if err != nil {
		return err
	}
	if s.conn, err = pgx.ConnectConfig(ctx, config); err != nil {
		return err
	}
	if s.tx, err = s.conn.Begin(ctx); err != nil {
		return err
	}
	if _, err := s.tx.Exec(ctx, unhurried); err != nil {
		return err
	}
	if err := store.LockSchema(ctx, s.tx); err != nil {
		return err
	}
	var there bool
	if err := s.tx.QueryRow(ctx, anyTable).Scan(&there); err != nil {
		return err
	}
	if there {
		return errNotEmpty
	}
	if err := store.MigrateWithin(ctx, s.tx, files); err != nil {
		return err
	}
	if s.tables, err = postgresTables(ctx, s.tx, isLeftOut); err != nil {
		return err
	}
	return compare(header, s.tables)
}

func (s *postgresTarget) Fill(ctx context.Context, t archive.Table, next func() ([]any, error)) error {
	// What a trigger would tell others is of no use to them: a backup is restored as a whole.
	if _, err := s.tx.Exec(ctx, "ALTER TABLE "+quoted(t.Name)+" DISABLE TRIGGER USER"); err != nil {
		return err
	}
	rows := &copied{next: next}
	if _, err := s.tx.CopyFrom(ctx, pgx.Identifier{t.Name}, columnNames(t), rows); err != nil {
		if rows.err != nil {
			return rows.err
		}
		var refused *pgconn.PgError
		if errors.As(err, &refused) {
			return rowError(err, t.Name)
		}
		return err
	}
	if _, err := s.tx.Exec(ctx, "ALTER TABLE "+quoted(t.Name)+" ENABLE TRIGGER USER"); err != nil {
		return err
	}
	known := find(s.tables, t.Name)
	if known.number == "" {
		return nil
	}
	return s.numberFrom(ctx, known, t.Numbered)
}

// numberFrom makes PostgreSQL go on numbering where the other database was: no number is given
// twice.
func (s *postgresTarget) numberFrom(ctx context.Context, t table, last int64) error {
	var highest int64
	if err := s.tx.QueryRow(ctx, fmt.Sprintf("SELECT COALESCE(max(%s), 0) FROM %s", quoted(t.number), quoted(t.Name))).Scan(&highest); err != nil {
		return err
	}
	if highest = max(highest, last); highest < 1 {
		return nil
	}
	_, err := s.tx.Exec(ctx, "SELECT setval(pg_get_serial_sequence($1, $2)::regclass, $3)", quoted(t.Name), t.number, highest)
	return err
}

// copied are rows for COPY.
type copied struct {
	next   func() ([]any, error)
	values []any
	err    error
}

// Next reads a row.
func (c *copied) Next() bool {
	c.values, c.err = c.next()
	if c.err == io.EOF {
		c.err = nil
		return false
	}
	return c.err == nil
}

// Values returns the row.
func (c *copied) Values() ([]any, error) { return c.values, nil }

// Err returns why there is none.
func (c *copied) Err() error { return c.err }

func (s *postgresTarget) Migrate(ctx context.Context) error {
	return store.MigrateWithin(ctx, s.tx, migrations.Postgres())
}

func (s *postgresTarget) Count(ctx context.Context) (map[string]int64, error) {
	tables, err := postgresTables(ctx, s.tx, isLeftOut)
	if err != nil {
		return nil, err
	}
	counts := map[string]int64{}
	for _, t := range tables {
		var n int64
		if err := s.tx.QueryRow(ctx, "SELECT count(*) FROM "+quoted(t.Name)).Scan(&n); err != nil {
			return nil, err
		}
		counts[nameNow(t.Name)] = n
	}
	return counts, nil
}

func (s *postgresTarget) Commit(ctx context.Context) error { return s.tx.Commit(ctx) }

// Abandon closes the connection, with which a transaction ends that was not committed.
func (s *postgresTarget) Abandon() error {
	if s.conn == nil {
		return nil
	}
	return s.conn.Close(context.Background())
}
