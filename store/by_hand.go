package store

import (
	"context"
	"database/sql"
	"strconv"
	"strings"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"parley/core/fault"
	"parley/internal/diskspace"
)

// Raw returns what runs statements in the transaction of ctx, or outside of
// one.
func (s *Store) Raw(ctx context.Context) entsql.ExecQuerier {
	if tx, ok := ctx.Value(txKey{}).(*transaction); ok {
		return tx.raw
	}
	return s.queries
}

// WriteRaw runs fn, a single statement, where the database wants its writes.
func (s *Store) WriteRaw(ctx context.Context, fn func(context.Context) error) error {
	if s.dialect == dialect.Postgres {
		if full := diskspace.Full(ctx); full != nil {
			return fault.OutOfStorage(full)
		}
		return MapError(fn(ctx))
	}
	return s.InTx(ctx, func(ctx context.Context) error { return MapError(fn(ctx)) })
}

// ScanOne reads the one row of a query. It reads to the end, because only there a
// statement that stores something says that it was committed.
func ScanOne(ctx context.Context, on entsql.ExecQuerier, into []any, query string, args ...any) error {
	rows, err := on.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return err
		}
		return fault.New(fault.NotFound, "Not found.")
	}
	if err := rows.Scan(into...); err != nil {
		return err
	}
	return rows.Close()
}

// Affects runs a statement by hand and returns how many rows it hit.
func (s *Store) Affects(ctx context.Context, statement string, args ...any) (int64, error) {
	result, err := s.Raw(ctx).ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Changes is [Store.Affects], and reports whether it hit a row.
func (s *Store) Changes(ctx context.Context, statement string, args ...any) (bool, error) {
	n, err := s.Affects(ctx, statement, args...)
	return n > 0, err
}

// Run runs a statement by hand where the database wants its writes.
func (s *Store) Run(ctx context.Context, statement string, args ...any) error {
	return s.WriteRaw(ctx, func(ctx context.Context) error {
		_, err := s.Raw(ctx).ExecContext(ctx, statement, args...)
		return err
	})
}

// Hits runs a statement by hand that is NotFound unless it hits a row.
func (s *Store) Hits(ctx context.Context, statement string, args ...any) error {
	hit, err := s.Changes(ctx, statement, args...)
	if err == nil && !hit {
		return fault.New(fault.NotFound, "Not found.")
	}
	return err
}

// Builder builds statements of the database's dialect.
func (s *Store) Builder() *entsql.DialectBuilder { return entsql.Dialect(s.dialect) }

// Into begins a row of a table that may be there already: what becomes of it then is said
// by OnConflict. Its columns have no default values of ent's.
func (s *Store) Into(table string) *entsql.InsertBuilder { return s.Builder().Insert(table) }

// Exec runs a statement that was built, in the transaction of ctx if there is one.
func (s *Store) Exec(ctx context.Context, statement entsql.Querier) error {
	query, args := statement.Query()
	_, err := s.Raw(ctx).ExecContext(ctx, query, args...)
	return MapError(err)
}

// Overwrite replaces columns of the row that is there with those of the row that was to be
// added.
func Overwrite(columns ...string) entsql.ConflictOption {
	return entsql.ResolveWith(func(update *entsql.UpdateSet) {
		for _, column := range columns {
			update.SetExcluded(column)
		}
	})
}

// Placeholders is a list of n parameters, at least one, whose first has a number:
// such as ($3,$4).
func Placeholders(first, n int) string {
	var b strings.Builder
	b.Grow(5 * n)
	for i := range n {
		b.WriteString(",$")
		b.WriteString(strconv.Itoa(first + i))
	}
	return "(" + b.String()[1:] + ")"
}

// EachRow runs a query and scans each of its rows. Its error may be the commit's, which
// comes after the last row.
func EachRow(ctx context.Context, on entsql.ExecQuerier, query string, args []any, scan func(*sql.Rows) error) error {
	rows, err := on.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Rows reads the rows of a query outside of SQLite's writer, or in the transaction of ctx.
// Into says where the columns of one go.
func Rows[Row any](ctx context.Context, s *Store, into func(*Row) []any, query string, args ...any) ([]Row, error) {
	found := []Row{}
	err := EachRow(ctx, s.Raw(ctx), query, args, func(rows *sql.Rows) error {
		var row Row
		err := rows.Scan(into(&row)...)
		found = append(found, row)
		return err
	})
	if err != nil {
		return nil, MapError(err)
	}
	return found, nil
}

// Taking is where a column goes that becomes something else on its way.
type Taking[Value any] func(sql.Null[Value]) error

// Scan takes a value of the database.
func (take Taking[Value]) Scan(from any) error {
	var value sql.Null[Value]
	if err := value.Scan(from); err != nil {
		return err
	}
	return take(value)
}

// InUTC is where a column with a time goes.
func InUTC(into *time.Time) sql.Scanner {
	return Taking[time.Time](func(at sql.Null[time.Time]) error {
		*into = at.V.UTC()
		return nil
	})
}

// Column is one column of rows, as an array parameter.
func Column[Row, Value any](rows []Row, value func(*Row) Value) []Value {
	values := make([]Value, len(rows))
	for i := range rows {
		values[i] = value(&rows[i])
	}
	return values
}
