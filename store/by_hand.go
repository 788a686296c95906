package store

import (
	"context"
	"strconv"
	"strings"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"parley/core/fault"
)

// raw returns what runs statements in the transaction of ctx, or outside of
// one.
func (s *Store) raw(ctx context.Context) entsql.ExecQuerier {
	if tx, ok := ctx.Value(txKey{}).(*transaction); ok {
		return tx.raw
	}
	return s.queries
}

// inWrite runs fn, a single statement, where the database wants its writes.
func (s *Store) inWrite(ctx context.Context, fn func(context.Context) error) error {
	if s.dialect == dialect.Postgres {
		return mapError(fn(ctx))
	}
	return s.InTx(ctx, func(ctx context.Context) error { return mapError(fn(ctx)) })
}

// scanOne reads the one row of a query. It reads to the end, because only there a
// statement that stores something says that it was committed.
func scanOne(ctx context.Context, on entsql.ExecQuerier, into []any, query string, args ...any) error {
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

// changes runs a statement by hand and reports whether it hit a row.
func (s *Store) changes(ctx context.Context, statement string, args ...any) (bool, error) {
	result, err := s.raw(ctx).ExecContext(ctx, statement, args...)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// into begins a row of a table that may be there already: what becomes of it then is said
// by OnConflict. Its columns have no default values of ent's.
func (s *Store) into(table string) *entsql.InsertBuilder {
	return entsql.Dialect(s.dialect).Insert(table)
}

// exec runs a statement that was built, in the transaction of ctx if there is one.
func (s *Store) exec(ctx context.Context, statement entsql.Querier) error {
	query, args := statement.Query()
	_, err := s.raw(ctx).ExecContext(ctx, query, args...)
	return mapError(err)
}

// overwrite replaces columns of the row that is there with those of the row that was to be
// added.
func overwrite(columns ...string) entsql.ConflictOption {
	return entsql.ResolveWith(func(update *entsql.UpdateSet) {
		for _, column := range columns {
			update.SetExcluded(column)
		}
	})
}

// placeholders is a list of n parameters, at least one, whose first has a number:
// such as ($3,$4).
func placeholders(first, n int) string {
	var b strings.Builder
	b.Grow(5 * n)
	for i := range n {
		b.WriteString(",$")
		b.WriteString(strconv.Itoa(first + i))
	}
	return "(" + b.String()[1:] + ")"
}
