package store

import (
	"context"
	"database/sql"
	"sync/atomic"

	entsql "entgo.io/ent/dialect/sql"

	"parley/internal/intx"
)

// CountStatements has a test count what is sent to the database of a store from now on,
// reads and writes, in transactions or not.
func CountStatements(s *Store) *atomic.Int64 {
	n := new(atomic.Int64)
	s.queries = tallied{s.queries, n}
	s.client = newClient(s.dialect, s.queries)
	s.begin = talliedBeginner{s.begin, n}
	return n
}

type tallied struct {
	entsql.ExecQuerier
	n *atomic.Int64
}

func (c tallied) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	c.n.Add(1)
	return c.ExecQuerier.QueryContext(ctx, query, args...)
}

func (c tallied) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	c.n.Add(1)
	return c.ExecQuerier.ExecContext(ctx, query, args...)
}

type talliedBeginner struct {
	beginner
	n *atomic.Int64
}

func (b talliedBeginner) inTx(ctx context.Context, fn inTxFunc) error {
	b.n.Add(1) // the transaction itself
	return b.beginner.inTx(ctx, func(ctx context.Context, on entsql.ExecQuerier, tx *intx.Transaction) error {
		return fn(ctx, tallied{on, b.n}, tx)
	})
}
