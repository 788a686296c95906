package store_test

import (
	"fmt"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
)

func TestUndo(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		later := epoch.Add(time.Minute)
		stored := func(id string) knowledge.Document {
			b.Helper()
			d, err := b.Document(ctx, a.id, a.chatbot, id)
			b.must(err)
			return d
		}
		withdraw := func(want int, ids ...string) {
			b.Helper()
			n, err := b.Withdraw(ctx, a.id, a.chatbot, ids, epoch, later)
			if err != nil || n != want {
				b.Fatalf("%d of %v were withdrawn, %v; want %d", n, ids, err, want)
			}
		}
		receipts := func() int {
			return b.count("SELECT count(*) FROM removals WHERE document_id NOT LIKE 'doc_gone%'")
		}
		before := stored(a.document)

		b.Run("a document that is withdrawn is answered from no more, and keeps what it was", func(t *testing.T) {
			withdraw(1, a.document, "doc_unknown")
			d := stored(a.document)
			if d.State != knowledge.Removing || d.Live != 0 || d.Undo != (knowledge.Undo{State: before.State, Live: before.Live}) || !d.DueAt.Equal(later) {
				t.Errorf("it is %+v", d)
			}
			found, err := b.LivePassages(ctx, a.id, a.chatbot, []int64{a.passage})
			if err != nil || len(found) != 0 || receipts() != 1 {
				t.Errorf("%d passages are found, %v, and there are %d receipts", len(found), err, receipts())
			}
			withdraw(0, a.document)
			for until, want := range map[time.Time]int{later: 1, epoch: 0} {
				if all, err := b.Withdrawn(ctx, a.id, a.chatbot, until); err != nil || len(all) != want {
					t.Errorf("%d were withdrawn until %v, %v; want %d", len(all), until, err, want)
				}
			}
		})
		b.Run("undone, it is as before, and its receipt is gone", func(t *testing.T) {
			d := stored(a.document)
			d.State, d.Live, d.DueAt, d.UpdatedAt = d.Undo.State, d.Undo.Live, nil, before.UpdatedAt
			b.must(b.UndoRemoval(ctx, a.id, d))
			if got := stored(a.document); fmt.Sprint(got) != fmt.Sprint(before) || receipts() != 0 {
				t.Errorf("it is\n%+v, was\n%+v, and there are %d receipts", got, before, receipts())
			}
			found, err := b.LivePassages(ctx, a.id, a.chatbot, []int64{a.passage})
			if err != nil || len(found) != 1 {
				t.Errorf("%d passages are found, %v", len(found), err)
			}
			b.wantKind(b.UndoRemoval(ctx, a.id, d), fault.NotFound)
		})
		b.Run("the way back ends when it is due, and not before", func(t *testing.T) {
			withdraw(1, a.document)
			b.wantKind(b.EndUndo(ctx, a.id, a.document, later.Add(-time.Millisecond)), fault.NotFound)
			b.must(b.EndUndo(ctx, a.id, a.document, later))
			d := stored(a.document)
			if d.State != knowledge.Removing || d.Live != 0 || d.Undo != (knowledge.Undo{}) {
				t.Errorf("it is %+v", d)
			}
			b.wantKind(b.UndoRemoval(ctx, a.id, d), fault.NotFound)
		})
		b.Run("a thousand are withdrawn in one statement", func(t *testing.T) {
			var ids []string
			for i := range knowledge.MostAtOnce {
				ids = append(ids, fmt.Sprintf("doc_%04d", i))
				b.must(b.CreateDocument(ctx, a.id, a.newDocument(ids[i])))
			}
			withdraw(knowledge.MostAtOnce, ids...)
			if d := stored(ids[7]); d.Undo != (knowledge.Undo{State: knowledge.Pending}) || d.Live != 0 {
				t.Errorf("one that was never ready is %+v", d)
			}
		})
	})
}
