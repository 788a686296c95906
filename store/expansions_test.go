package store

import (
	"slices"
	"testing"

	"parley/core/retrieval"
)

func TestExpansions(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a, other := b.fill("a"), b.fill("b")
		ctx := b.Context()
		expansion := retrieval.NewExpansion([]retrieval.ExpansionTerm{{Text: "refund", Weight: 1.5}})
		before, err := b.CountUnexpanded(ctx)
		b.must(err)
		passages, err := b.Unexpanded(ctx, a.id, 100)
		b.must(err)

		b.Run("passages begin without an expansion, and their workspaces are named once", func(t *testing.T) {
			if len(passages) == 0 || before < len(passages)+1 || passages[0].Text == "" {
				t.Fatalf("%d of %d are a's", len(passages), before)
			}
			names, err := b.WorkspacesUnexpanded(ctx)
			b.must(err)
			if !slices.Contains(names, a.id) || !slices.Contains(names, other.id) || len(slices.Compact(slices.Clone(names))) != len(names) {
				t.Errorf("they are of %v", names)
			}
			if few, err := b.Unexpanded(ctx, a.id, 1); err != nil || len(few) != 1 {
				t.Errorf("of one there are %d, %v", len(few), err)
			}
		})
		b.Run("an expansion is read as it was saved, by its own chatbot alone", func(t *testing.T) {
			id := passages[0].ID
			if got, err := b.Expansions(ctx, a.id, a.chatbot, []int64{id}); err != nil || len(got) != 0 {
				t.Errorf("before, there is %v, %v", got, err)
			}
			b.must(b.SaveExpansions(ctx, a.id, map[int64]retrieval.Expansion{id: expansion, 1 << 40: expansion}))
			for range 2 { // from the database, and from memory
				got, err := b.Expansions(ctx, a.id, a.chatbot, []int64{id, 1 << 40})
				if err != nil || len(got) != 1 || !slices.Equal(got[id], expansion) {
					t.Errorf("got %v, %v", got, err)
				}
				for _, of := range [][2]string{{a.id, other.chatbot}, {other.id, a.chatbot}, {other.id, other.chatbot}} {
					if got, err := b.Expansions(ctx, of[0], of[1], []int64{id}); err != nil || len(got) != 0 {
						t.Errorf("%v read %v, %v", of, got, err)
					}
				}
			}
		})
		b.Run("what is expanded is due no more", func(t *testing.T) {
			left, err := b.Unexpanded(ctx, a.id, 100)
			b.must(err)
			n, err := b.CountUnexpanded(ctx)
			if err != nil || len(left) != len(passages)-1 || n != before-1 {
				t.Errorf("%d of a's are left, %d in all, %v", len(left), n, err)
			}
		})
		b.Run("another workspace expands none of a's passages", func(t *testing.T) {
			left, err := b.Unexpanded(ctx, a.id, 100)
			b.must(err)
			for _, p := range passages[1:] {
				b.must(b.SaveExpansions(ctx, other.id, map[int64]retrieval.Expansion{p.ID: expansion}))
			}
			if still, err := b.Unexpanded(ctx, a.id, 100); err != nil || len(still) != len(left) {
				t.Errorf("%d of %d are left, %v", len(still), len(left), err)
			}
		})
	})
}
