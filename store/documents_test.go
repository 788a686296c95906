package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
)

func TestLargeDocument(t *testing.T) {
	const many = 2_000
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		d := a.newDocument("doc_large")
		inOrder := func(t *testing.T, want int) {
			t.Helper()
			got, err := b.Passages(ctx, a.id, d.ID)
			b.must(err)
			ordered := slices.IsSortedFunc(got, func(x, y knowledge.Passage) int { return x.Ordinal - y.Ordinal })
			if len(got) != want || !ordered || got[want-1].Text != fmt.Sprint(a.secret, " ", want-1) {
				t.Errorf("%d passages come back, in order: %v, want %d", len(got), ordered, want)
			}
		}

		b.Run("2,000 passages are stored in order", func(t *testing.T) {
			b.must(b.CreateDocument(ctx, a.id, d, a.newPassages(many)))
			inOrder(t, many)
		})
		b.Run("they are replaced in one step, with the count", func(t *testing.T) {
			b.must(b.ReplacePassages(ctx, a.id, d, a.newPassages(many+1)))
			inOrder(t, many+1)
			stored, err := b.Document(ctx, a.id, a.chatbot, d.ID)
			b.must(err)
			if stored.Passages != many+1 {
				t.Errorf("the document says %d", stored.Passages)
			}
		})
		b.Run("a passage that clashes leaves the old ones", func(t *testing.T) {
			clash := append(a.newPassages(many), a.newPassages(1)...)
			b.wantKind(b.ReplacePassages(ctx, a.id, d, clash), fault.Conflict)
			inOrder(t, many+1)
		})
		b.Run("a document that clashes leaves nothing of itself", func(t *testing.T) {
			before := b.rows(a.id)
			clash := a.newDocument("doc_clash")
			b.wantKind(b.CreateDocument(ctx, a.id, clash, append(a.newPassages(many), a.newPassages(1)...)), fault.Conflict)
			if b.rows(a.id) != before {
				t.Error("something of it is there")
			}
		})
		b.Run("deleting it takes its passages along", func(t *testing.T) {
			b.must(b.DeleteDocument(ctx, a.id, d.ID))
			if n := b.count("SELECT count(*) FROM passages WHERE document_id = 'doc_large'"); n != 0 {
				t.Errorf("%d are left", n)
			}
		})
	})
}

func TestDocumentStates(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		set := func(state knowledge.State) error { return b.SetDocumentState(ctx, a.id, a.document, state, "") }
		ready := func() int {
			passages, err := b.ReadyPassages(ctx, a.id, a.chatbot, []int64{a.passage, a.passage + 1})
			b.must(err)
			return len(passages)
		}
		if ready() != 2 {
			b.Fatalf("%d passages of a ready document are found", ready())
		}
		b.Run("only passages of ready documents are found", func(t *testing.T) {
			for _, state := range []knowledge.State{knowledge.Pending, knowledge.Failed, knowledge.Removing} {
				b.must(set(state))
				if n := ready(); n != 0 {
					t.Errorf("%d passages of a %s document are found", n, state)
				}
			}
		})
		b.Run("removing is final", func(t *testing.T) {
			b.wantKind(set(knowledge.Ready), fault.NotFound)
			b.wantKind(b.ReplacePassages(ctx, a.id, a.newDocument(a.document), a.newPassages(1)), fault.NotFound)
			b.must(set(knowledge.Removing))
		})
		b.Run("a document that is being removed is not the equal of a new one", func(t *testing.T) {
			_, err := b.DocumentByHash(ctx, a.id, a.chatbot, "content of "+a.document)
			b.wantKind(err, fault.NotFound)
		})
		b.Run("documents to be settled are those that were made before a time", func(t *testing.T) {
			for before, want := range map[time.Time]int{epoch: 1, epoch.Add(-time.Microsecond): 0} {
				if got, err := b.UnsettledDocuments(ctx, before); err != nil || len(got) != want {
					t.Errorf("%d before %v, want %d: %v", len(got), before, want, err)
				}
			}
		})
	})
}
