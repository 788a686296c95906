package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"

	"parley/core/knowledge"
)

// collected reads a list to its end.
func collected[Row any](list iter.Seq2[Row, error]) (all []Row, err error) {
	for row, err := range list {
		if err != nil {
			return all, err
		}
		all = append(all, row)
	}
	return all, nil
}

// numbered is a list of the numbers from 1, with what was asked of it.
type numbered struct {
	rows  int
	fails error
	asked []int
}

func (n *numbered) all(ctx context.Context) iter.Seq2[int, error] {
	return inKeyOrder(ctx, func(_ context.Context, after int) (rows []int, err error) {
		n.asked = append(n.asked, after)
		if after > 0 && n.fails != nil {
			return nil, n.fails
		}
		for row := after + 1; row <= min(after+portionRows, n.rows); row++ {
			rows = append(rows, row)
		}
		return rows, nil
	}, func(row int) int { return row })
}

func TestInKeyOrder(t *testing.T) {
	for rows, statements := range map[int]int{0: 1, 1: 1, portionRows - 1: 1, portionRows: 2, portionRows + 1: 2, 3 * portionRows: 4} {
		t.Run(fmt.Sprintf("%d rows take %d statements", rows, statements), func(t *testing.T) {
			n := &numbered{rows: rows}
			got, err := collected(n.all(t.Context()))
			if err != nil || len(got) != rows || !slices.IsSorted(got) || len(slices.Compact(got)) != rows {
				t.Errorf("%d rows came, want each of %d once: %v", len(got), rows, err)
			}
			if len(n.asked) != statements {
				t.Errorf("statements began after %v", n.asked)
			}
		})
	}
	t.Run("a portion is read when the one before it was gone through", func(t *testing.T) {
		n := &numbered{rows: 3 * portionRows}
		for row := range n.all(t.Context()) {
			if row == portionRows+1 {
				break
			}
		}
		if want := []int{0, portionRows}; !slices.Equal(n.asked, want) {
			t.Errorf("statements began after %v, want %v", n.asked, want)
		}
	})
	t.Run("the list ends with its first error", func(t *testing.T) {
		n := &numbered{rows: 3 * portionRows, fails: errTest}
		got, err := collected(n.all(t.Context()))
		if !errors.Is(err, errTest) || len(got) != portionRows {
			t.Errorf("%d rows came, and %v", len(got), err)
		}
	})
	t.Run("no portion is begun for a caller that was told to stop", func(t *testing.T) {
		n := &numbered{rows: 3 * portionRows}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		got, err := collected(n.all(ctx))
		if !errors.Is(err, context.Canceled) || len(got) != portionRows || len(n.asked) != 1 {
			t.Errorf("%d rows came in %d statements, and %v", len(got), len(n.asked), err)
		}
	})
}

func TestListsLongerThanAPortion(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a") // with a document and a receipt
		ctx := b.Context()
		const more = portionRows + 5
		b.must(b.InTx(ctx, func(ctx context.Context) error {
			for i := range more {
				d := a.newDocument(fmt.Sprintf("doc_more_%04d", i))
				d.InputHash = d.ID
				r := a.newRemoval(fmt.Sprintf("doc_was_%04d", i))
				r.ID = fmt.Sprintf("rm_more_%04d", i)
				if err := errors.Join(b.CreateDocument(ctx, a.id, d), b.CreateRemoval(ctx, a.id, r)); err != nil {
					return err
				}
			}
			return nil
		}))
		known, err := b.Documents(ctx, a.id, a.chatbot)
		b.must(err)

		b.Run("each document is read once", func(t *testing.T) {
			for name, list := range map[string]iter.Seq2[knowledge.Document, error]{"all": b.AllDocuments(ctx), "changed": b.ChangedDocuments(ctx, epoch)} {
				wantOnce(t, name, list, func(d knowledge.Document) string { return d.ID }, len(known))
			}
		})
		b.Run("each receipt is read once", func(t *testing.T) {
			wantOnce(t, "removals", b.RemovalsSince(ctx, epoch), func(r knowledge.Removal) string { return r.ID }, more+1)
		})
		b.Run("a document that is removed on the way keeps no other from being read", func(t *testing.T) {
			read := 0
			for d, err := range b.AllDocuments(ctx) {
				b.must(err)
				b.must(b.DeleteDocument(ctx, a.id, d.ID))
				read++
			}
			if read != len(known) {
				t.Errorf("%d were read, want %d", read, len(known))
			}
		})
	})
}

// wantOnce fails unless a list has so many rows, each with a key of its own.
func wantOnce[Row any](t *testing.T, what string, list iter.Seq2[Row, error], key func(Row) string, want int) {
	t.Helper()
	rows, err := collected(list)
	keys := map[string]bool{}
	for _, row := range rows {
		keys[key(row)] = true
	}
	if err != nil || len(rows) != want || len(keys) != want {
		t.Errorf("%s: %d rows with %d keys, want %d: %v", what, len(rows), len(keys), want, err)
	}
}
