package store

import (
	"context"
	"iter"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/knowledge/browse"
)

// PortionRows is how many rows one statement reads of a list that is as long as the
// installation is large.
const PortionRows = 1_000

// PortionBytes is how much such a statement reads where rows may be long.
const PortionBytes = 1 << 20

// Fitting is how many of the first rows, whose sizes these are, have at most that many bytes
// together. One always does, so that reading goes on.
func Fitting(sizes []int, bytes int) int {
	total := 0
	for n, size := range sizes {
		if total += size; total > bytes && n > 0 {
			return n
		}
	}
	return len(sizes)
}

// InKeyOrder reads a list in the order of a key, a portion after the other. Read returns
// the first PortionRows rows whose key comes after one; the first key comes after the zero
// Key. Between two portions no statement is open, so what is done with a row may take
// long, and may change or delete it. A row that comes before the place reached is left to
// the next pass. The list ends with its first error.
func InKeyOrder[Row any, Key any](ctx context.Context, read func(ctx context.Context, after Key) ([]Row, error), key func(Row) Key) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		var none Row
		var after Key
		for {
			rows, err := read(ctx, after)
			if err != nil {
				yield(none, MapError(err))
				return
			}
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
			}
			if len(rows) < PortionRows {
				return
			}
			after = key(rows[len(rows)-1])
			if ctx.Err() != nil {
				yield(none, MapError(context.Cause(ctx)))
				return
			}
		}
	}
}

// Sliced confines a query to a slice of a list in the order of a time and the ID.
func Sliced(slice browse.Slice, at string) func(*entsql.Selector) {
	return func(q *entsql.Selector) {
		order, beyond := entsql.Desc, entsql.LT
		if slice.OldestFirst {
			order, beyond = entsql.Asc, entsql.GT
		}
		if !slice.After.IsZero() {
			// The first condition follows from the second, and is the one for
			// which both databases use the index.
			within := entsql.LTE
			if slice.OldestFirst {
				within = entsql.GTE
			}
			q.Where(entsql.And(within(q.C(at), slice.After.At), entsql.Or(
				beyond(q.C(at), slice.After.At),
				entsql.And(entsql.EQ(q.C(at), slice.After.At), beyond(q.C("id"), slice.After.ID)))))
		}
		q.OrderBy(order(q.C(at)), order(q.C("id"))).Limit(slice.Limit)
	}
}

// Oldest is the portion after a cursor of a list that begins with the oldest.
func Oldest(after browse.Cursor) browse.Slice {
	return browse.Slice{After: after, Limit: PortionRows, OldestFirst: true}
}

// FewAfter confines a query that chooses few of many rows to those with a text after one,
// in its order. The order is no plain column: SQLite would go through the index of all
// rows in that order, and not look up the few.
func FewAfter(column, after string) func(*entsql.Selector) {
	return func(q *entsql.Selector) {
		if after != "" {
			q.Where(entsql.GT(q.C(column), after))
		}
		q.OrderExpr(entsql.Expr(q.C(column) + " || ''"))
	}
}

// Converted is a list with each row as something else.
func Converted[Row, Item any](rows iter.Seq2[Row, error], convert func(Row) Item) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for row, err := range rows {
			var item Item
			if err == nil {
				item = convert(row)
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

// BatchRows is how many rows one statement writes or names: batches keep its parameters
// under the databases' limits, and many rows from keeping others from writing.
const BatchRows = 500

// InBatches calls do with at most size rows at a time.
func InBatches[T any](rows []T, size int, do func([]T) error) error {
	for len(rows) > 0 {
		n := min(size, len(rows))
		if err := do(rows[:n]); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// TrimBatch bounds what one transaction deletes.
const TrimBatch = 1_000

// Expire deletes the rows of a table for which a condition holds, whose parameter $1 is a
// time: at most TrimBatch in a transaction, so that other writers need not wait.
func (s *Store) Expire(ctx context.Context, table, condition string, before time.Time) error {
	statement := "DELETE FROM " + table + " WHERE " + condition +
		" AND id IN (SELECT id FROM " + table + " WHERE " + condition + " LIMIT $2)"
	for {
		var n int64
		err := s.WriteRaw(ctx, func(ctx context.Context) (err error) {
			n, err = s.Affects(ctx, statement, before, TrimBatch)
			return err
		})
		if err != nil || n < TrimBatch {
			return err
		}
	}
}
