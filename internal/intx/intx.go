// Package intx carries the database transaction in a context, so that the job queue can
// join it, and doubles of network services can refuse to be called within one.
//
// It begins and ends no transactions: package store does.
package intx

import (
	"context"
	"database/sql"
)

// Transaction is a transaction of package store. It belongs to one goroutine.
type Transaction struct {
	// SQL and Conn are nil in a test without a database. Ending either breaks the
	// store.
	SQL *sql.Tx
	// Conn is the transaction's connection, for code that needs the driver. Nothing
	// else may use SQL meanwhile.
	Conn *sql.Conn

	committed []func()
}

type key struct{}

// With returns a context with a transaction.
func With(ctx context.Context, tx *Transaction) context.Context {
	return context.WithValue(ctx, key{}, tx)
}

// Mark returns a context that counts as [Inside], without a transaction to join.
func Mark(ctx context.Context) context.Context { return With(ctx, &Transaction{}) }

// Inside reports whether ctx has a database transaction.
func Inside(ctx context.Context) bool {
	_, inside := ctx.Value(key{}).(*Transaction)
	return inside
}

// Tx returns the transaction of ctx.
func Tx(ctx context.Context) (*Transaction, bool) {
	tx, inside := ctx.Value(key{}).(*Transaction)
	return tx, inside && tx.SQL != nil
}

// AfterCommit adds a function that runs once the transaction is committed. It
// must be quick and must not use the transaction.
func (t *Transaction) AfterCommit(fn func()) { t.committed = append(t.committed, fn) }

// Committed runs the functions that [Transaction.AfterCommit] added.
func (t *Transaction) Committed() {
	for _, fn := range t.committed {
		fn()
	}
}
