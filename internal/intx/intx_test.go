package intx

import (
	"context"
	"database/sql"
	"testing"
)

func TestInside(t *testing.T) {
	t.Run("a context is outside until it is marked", func(t *testing.T) {
		if Inside(t.Context()) {
			t.Error("a plain context is inside")
		}
		if _, ok := Tx(t.Context()); ok {
			t.Error("a plain context has a transaction")
		}
	})
	t.Run("a marked context is inside, and so are its children", func(t *testing.T) {
		child, cancel := context.WithCancel(Mark(t.Context()))
		defer cancel()
		if !Inside(child) || !Inside(context.WithoutCancel(child)) {
			t.Error("a child context lost the mark")
		}
	})
	t.Run("a mark without a database has no transaction to join", func(t *testing.T) {
		if _, ok := Tx(Mark(t.Context())); ok {
			t.Error("there is a transaction")
		}
	})
	t.Run("the children of a transaction's context share it", func(t *testing.T) {
		tx := &Transaction{SQL: new(sql.Tx)}
		got, ok := Tx(context.WithoutCancel(With(t.Context(), tx)))
		if !ok || got != tx || !Inside(With(t.Context(), tx)) {
			t.Errorf("got %v, %v", got, ok)
		}
	})
}

func TestAfterCommit(t *testing.T) {
	var ran []int
	tx := &Transaction{}
	tx.AfterCommit(func() { ran = append(ran, 1) })
	tx.AfterCommit(func() { ran = append(ran, 2) })
	if len(ran) != 0 {
		t.Error("something ran before the commit")
	}
	tx.Committed()
	if len(ran) != 2 || ran[0] != 1 || ran[1] != 2 {
		t.Errorf("ran %v, want 1 and 2 in their order", ran)
	}
}
