package store_test

import (
	"context"
	"fmt"
	"testing"

	"parley/core/knowledge"
	"parley/core/retrieval"
	"parley/ent/scope"
)

func TestPassagesAreRemembered(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a") // three passages of version 1, which is live
		ctx := b.Context()
		d, err := b.Document(ctx, a.id, a.chatbot, a.document)
		b.must(err)
		stored, err := b.Passages(ctx, a.id, a.document, 1)
		b.must(err)
		ids := []int64{stored[0].ID, stored[2].ID}
		beside := []retrieval.Position{{DocumentID: a.document, Version: 1, Ordinal: stored[1].Ordinal}, {DocumentID: a.document, Version: 1, Ordinal: 3}}
		look := func(workspace, chatbot string) (found, neighbors []retrieval.Passage) {
			b.Helper()
			found, err := b.LivePassages(ctx, workspace, chatbot, ids)
			b.must(err)
			neighbors, err = b.LivePassagesAt(ctx, workspace, chatbot, beside)
			b.must(err)
			return found, neighbors
		}
		first, firstNeighbors := look(a.id, a.chatbot)
		// Another process: this one does not learn of it but by asking.
		other := openBundle(b.T, b.url)

		b.Run("a second question reads no texts, and gets the same", func(t *testing.T) {
			b.must(other.InTx(ctx, func(ctx context.Context) error {
				_, err := other.Raw(ctx).ExecContext(scope.System(ctx, everywhere), "UPDATE passages SET text = 'read again'")
				return err
			}))
			found, neighbors := look(a.id, a.chatbot)
			if len(found) != 2 || fmt.Sprint(found, neighbors) != fmt.Sprint(first, firstNeighbors) || len(neighbors) != 1 {
				t.Errorf("found are %+v beside %+v, want %+v beside %+v", found, neighbors, first, firstNeighbors)
			}
		})
		b.Run("neither another workspace nor another chatbot gets them", func(t *testing.T) {
			for workspace, chatbot := range map[string]string{"ws_none": a.chatbot, a.id: "cb_other"} {
				if found, neighbors := look(workspace, chatbot); len(found)+len(neighbors) != 0 {
					t.Errorf("%s gets %+v and %+v", workspace, found, neighbors)
				}
			}
		})
		b.Run("after another process has given the document its next version, only that is found", func(t *testing.T) {
			next := other.goLive(d, a.newPassages(2))
			if found, _ := look(a.id, a.chatbot); len(found) != 0 {
				t.Errorf("of the version before, %+v are found", found)
			}
			found, err := b.LivePassages(ctx, a.id, a.chatbot, []int64{next[0].ID})
			if err != nil || len(found) != 1 || found[0].Version != 2 {
				t.Errorf("of the next version, %+v are found, %v", found, err)
			}
		})
		b.Run("what another process removes is not found from then on", func(t *testing.T) {
			now, err := b.Document(ctx, a.id, a.chatbot, a.document)
			b.must(err)
			passages, err := b.Passages(ctx, a.id, a.document, now.Version)
			b.must(err)
			ids := []int64{passages[0].ID}
			if found, err := b.LivePassages(ctx, a.id, a.chatbot, ids); err != nil || len(found) != 1 {
				t.Fatalf("found are %+v, %v", found, err)
			}
			b.must(other.MarkRemoving(ctx, a.id, a.document, epoch))
			if found, err := b.LivePassages(ctx, a.id, a.chatbot, ids); err != nil || len(found) != 0 {
				t.Errorf("found are %+v, %v", found, err)
			}
		})
		b.Run("a passage of a version that is not live yet is not remembered", func(t *testing.T) {
			fresh := a.newDocument("doc_second")
			b.must(b.CreateDocument(ctx, a.id, fresh))
			b.goLive(fresh, a.newPassages(1))
			fresh, err := b.Document(ctx, a.id, a.chatbot, fresh.ID)
			b.must(err)
			from := fresh.State
			fresh.State, fresh.Version = knowledge.Indexing, fresh.Version+1
			b.must(b.UpdateDocument(ctx, a.id, from, fresh, true))
			b.must(b.AddPassages(ctx, a.id, fresh, a.newPassages(1)))
			early, err := b.Passages(ctx, a.id, fresh.ID, fresh.Version)
			b.must(err)
			if found, err := b.LivePassages(ctx, a.id, a.chatbot, []int64{early[0].ID}); err != nil || len(found) != 1 {
				t.Fatalf("found are %+v, %v", found, err)
			}
			b.must(b.DeletePassages(ctx, a.id, fresh.ID, fresh.Live))
			if found, err := b.LivePassages(ctx, a.id, a.chatbot, []int64{early[0].ID}); err != nil || len(found) != 0 {
				t.Errorf("found are %+v, %v", found, err)
			}
		})
	})
}
