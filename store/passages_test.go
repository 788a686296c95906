package store_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/retrieval"
)

func TestLargeDocument(t *testing.T) {
	const many = 2_000
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		d := a.newDocument("doc_large")
		d.Version = 1
		b.must(b.CreateDocument(ctx, a.id, d))
		inOrder := func(t *testing.T, version, want int) {
			t.Helper()
			got, err := b.Passages(ctx, a.id, d.ID, version)
			b.must(err)
			ordered := slices.IsSortedFunc(got, func(x, y retrieval.Passage) int { return x.Ordinal - y.Ordinal })
			if len(got) != want || !ordered || want > 0 && got[want-1].Text != fmt.Sprint(a.secret, " ", want-1) {
				t.Errorf("%d passages come back, in order: %v, want %d", len(got), ordered, want)
			}
		}

		b.Run("2,000 passages are stored in order", func(t *testing.T) {
			b.must(b.AddPassages(ctx, a.id, d, a.newPassages(many)))
			inOrder(t, 1, many)
		})
		b.Run("those of another version stand beside them", func(t *testing.T) {
			d.Version = 2
			b.must(b.AddPassages(ctx, a.id, d, a.newPassages(many+1)))
			inOrder(t, 1, many)
			inOrder(t, 2, many+1)
		})
		b.Run("adding a version twice is a conflict", func(t *testing.T) {
			b.wantKind(b.AddPassages(ctx, a.id, d, a.newPassages(1)), fault.Conflict)
			inOrder(t, 2, many+1)
		})
		b.Run("all versions but one are deleted", func(t *testing.T) {
			b.must(b.DeletePassages(ctx, a.id, d.ID, 2))
			inOrder(t, 1, 0)
			inOrder(t, 2, many+1)
		})
		b.Run("deleting the document takes its passages along", func(t *testing.T) {
			b.must(b.DeleteDocument(ctx, a.id, d.ID))
			if n := b.count("SELECT count(*) FROM passages WHERE document_id = 'doc_large'"); n != 0 {
				t.Errorf("%d are left", n)
			}
		})
		b.Run("a document that has gone gets no passages", func(t *testing.T) {
			b.wantKind(b.AddPassages(ctx, a.id, d, a.newPassages(1)), fault.Conflict)
		})
	})
}

func TestLivePassages(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a") // three passages of version 1, which is live
		ctx := b.Context()
		d, err := b.Document(ctx, a.id, a.chatbot, a.document)
		b.must(err)
		passages, err := b.Passages(ctx, a.id, a.document, 1)
		b.must(err)
		var ids []int64
		for _, p := range passages {
			ids = append(ids, p.ID)
		}
		live := func() (got []retrieval.Passage) {
			got, err := b.LivePassages(ctx, a.id, a.chatbot, ids)
			b.must(err)
			return got
		}
		move := func(state knowledge.State) {
			from := d.State
			d.State = state
			b.must(b.UpdateDocument(ctx, a.id, from, d, false))
		}

		b.Run("a passage is read whole, with its document's fields", func(t *testing.T) {
			got, err := b.LivePassages(ctx, a.id, a.chatbot, ids[1:2])
			b.must(err)
			want := passages[1]
			want.SourceID, want.URL, want.ContentHash = d.SourceID, d.URL, d.ContentHash
			if len(got) != 1 || fmt.Sprint(got[0]) != fmt.Sprint(want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
		b.Run("with where it stands", func(t *testing.T) {
			placed := a.newPassages(1)
			placed[0].Ordinal, placed[0].Start, placed[0].End = 9, 40, 1_000_000
			b.must(b.AddPassages(ctx, a.id, d, placed))
			at := []retrieval.Position{{DocumentID: d.ID, Version: 1, Ordinal: 9}}
			got, err := b.LivePassagesAt(ctx, a.id, a.chatbot, at)
			if err != nil || len(got) != 1 || got[0].Start != 40 || got[0].End != 1_000_000 {
				t.Errorf("got %+v, %v", got, err)
			}
			all, err := b.Passages(ctx, a.id, d.ID, 1)
			if last := all[len(all)-1]; err != nil || last.Start != 40 || last.End != 1_000_000 {
				t.Errorf("stored is %+v, %v", last, err)
			}
		})
		b.Run("whatever is done with the document, what was live is answered from", func(t *testing.T) {
			for _, state := range []knowledge.State{
				knowledge.Pending, knowledge.Fetching, knowledge.Extracting, knowledge.Indexing, knowledge.Failed, knowledge.Ready,
			} {
				move(state)
				if n := len(live()); n != 3 {
					t.Errorf("%d passages of a %s document are found", n, state)
				}
			}
		})
		b.Run("while a version is replaced, both are found: the index says which", func(t *testing.T) {
			next := d
			next.Version = 2
			b.must(b.AddPassages(ctx, a.id, next, a.newPassages(2)))
			added, err := b.Passages(ctx, a.id, a.document, 2)
			b.must(err)
			ids = append(ids, added[0].ID, added[1].ID)
			if n := len(live()); n != 5 {
				t.Errorf("%d are found", n)
			}
		})
		b.Run("they are found by where they stand, too", func(t *testing.T) {
			got, err := b.LivePassagesAt(ctx, a.id, a.chatbot, []retrieval.Position{
				{DocumentID: a.document, Version: 1, Ordinal: 2},
				{DocumentID: a.document, Version: 2, Ordinal: 0},
				{DocumentID: a.document, Version: 1, Ordinal: 3},
				{DocumentID: a.document, Version: 1, Ordinal: -1},
				{DocumentID: "doc_nobody", Version: 1, Ordinal: 0},
			})
			b.must(err)
			want, err := b.LivePassages(ctx, a.id, a.chatbot, []int64{ids[2], ids[3]})
			b.must(err)
			slices.SortFunc(got, func(p, q retrieval.Passage) int { return cmp.Compare(p.ID, q.ID) })
			if len(got) != 2 || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
			if got, err := b.LivePassagesAt(ctx, a.id, a.chatbot, nil); err != nil || got != nil {
				t.Errorf("nowhere there are %+v, %v", got, err)
			}
			if got, err := b.LivePassagesAt(ctx, a.id, "cb_other", []retrieval.Position{{DocumentID: a.document, Version: 1}}); err != nil || got != nil {
				t.Errorf("another chatbot finds %+v, %v", got, err)
			}
		})
		b.Run("each with the hash of the version that it was cut from", func(t *testing.T) {
			third := d
			third.Version, third.ContentHash = 3, "of the third"
			b.must(b.AddPassages(ctx, a.id, third, a.newPassages(1)))
			for version, want := range map[int]string{1: d.ContentHash, 3: "of the third"} {
				got, err := b.LivePassagesAt(ctx, a.id, a.chatbot, []retrieval.Position{{DocumentID: a.document, Version: version, Ordinal: 0}})
				if err != nil || len(got) != 1 || got[0].ContentHash != want {
					t.Errorf("got %+v, %v, want %q", got, err, want)
				}
			}
		})
		b.Run("nothing is found of a document that was never ready", func(t *testing.T) {
			fresh := a.newDocument("doc_fresh")
			fresh.Version = 1
			b.must(b.CreateDocument(ctx, a.id, fresh))
			b.must(b.AddPassages(ctx, a.id, fresh, a.newPassages(1)))
			added, err := b.Passages(ctx, a.id, fresh.ID, 1)
			b.must(err)
			if got, err := b.LivePassages(ctx, a.id, a.chatbot, []int64{added[0].ID}); err != nil || len(got) != 0 {
				t.Errorf("got %+v, %v", got, err)
			}
		})
		b.Run("nor by another chatbot, nor of identifiers that nobody has", func(t *testing.T) {
			for chatbotID, asked := range map[string][]int64{"cb_other": ids, a.chatbot: {1 << 40}, "cb_none": nil} {
				if got, err := b.LivePassages(ctx, a.id, chatbotID, asked); err != nil || len(got) != 0 {
					t.Errorf("got %+v, %v", got, err)
				}
			}
		})
		b.Run("nor of one that is being removed", func(t *testing.T) {
			b.must(b.MarkRemoving(ctx, a.id, a.document, epoch))
			if n := len(live()); n != 0 {
				t.Errorf("%d are found", n)
			}
		})
	})
}
