package indextest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"parley/core/retrieval"
)

func testReplace(_ *testing.T, b *bundle) {
	b.replace(home, "doc", Entries("doc", 1, "red apples", "green pears"))
	b.wantFound(home, "apples pears", 1, 2)
	b.replace(home, "doc", Entries("doc", 11, "yellow bananas"))
	b.wantFound(home, "apples pears bananas", 11)
	b.wantCount(home, "doc", 1)
	// The same IDs again, as in a repeated delivery.
	b.replace(home, "doc", Entries("doc", 11, "yellow bananas"))
	b.wantFound(home, "bananas", 11)
	b.wantCount(home, "doc", 1)
}

// testAtomic repeatedly replaces two passages with two others. A search that finds
// one of each, or none, or only one, saw half a change.
func testAtomic(t *testing.T, b *bundle) {
	pair := func(first int64) []retrieval.Entry {
		entries := Entries("doc", first, "kiwi one", "kiwi two")
		entries[0].Vector, entries[1].Vector = unit(1, 0.1), unit(1, 0.2)
		return entries
	}
	whole := func(hits []retrieval.Hit) bool {
		return len(hits) == 2 && (hits[0].PassageID > 10) == (hits[1].PassageID > 10)
	}
	b.replace(home, "doc", pair(1))
	done := make(chan struct{})
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				hits, err := b.index.Search(t.Context(), home, retrieval.IndexQuery{Terms: Terms("kiwi"), Vector: unit(1, 0), Limit: 10})
				if err != nil {
					t.Errorf("search: %v", err)
					return
				}
				if !whole(hits.Lexical) || !whole(hits.Near) || (hits.Lexical[0].PassageID > 10) != (hits.Near[0].PassageID > 10) {
					t.Errorf("found %v and near %v, want both old or both new passages", ids(hits.Lexical), ids(hits.Near))
					return
				}
			}
		})
	}
	for i := range 60 {
		if err := b.index.Replace(t.Context(), home, "doc", pair(int64(1+10*(i%2)))); err != nil {
			t.Errorf("replace: %v", err)
			break
		}
	}
	close(done)
	group.Wait()
}

func testReplaceWithNone(_ *testing.T, b *bundle) {
	b.replace(home, "doc", Entries("doc", 1, "red apples"))
	b.replace(home, "doc", nil)
	b.wantFound(home, "apples")
	b.wantCount(home, "doc", 0)
}

func testForeignEntry(t *testing.T, b *bundle) {
	b.replace(home, "doc", Entries("doc", 1, "red apples"))
	if err := b.index.Replace(t.Context(), home, "doc", Entries("another", 2, "pears")); err == nil {
		t.Error("an entry of another document was accepted")
	}
	b.wantFound(home, "apples pears", 1)
}

func testRemove(_ *testing.T, b *bundle) {
	b.replace(home, "doc", Entries("doc", 1, "red apples", "more apples"))
	b.replace(home, "kept", Entries("kept", 3, "apples too"))
	b.wantCount(home, "doc", 2)
	b.remove(home, "doc")
	b.wantFound(home, "apples", 3)
	b.wantCount(home, "doc", 0)
	b.wantCount(home, "kept", 1)
}

func testRemoveNothing(_ *testing.T, b *bundle) {
	b.remove(home, "doc")
	b.drop(home)
	b.replace(home, "doc", Entries("doc", 1, "red apples"))
	b.remove(home, "another")
	b.remove(home, "doc")
	b.remove(home, "doc")
	b.wantFound(home, "apples")
}

func testDrop(_ *testing.T, b *bundle) {
	for i, scope := range []retrieval.Scope{home, other, foreign} {
		b.replace(scope, "doc", Entries("doc", int64(1+i), "red apples"))
	}
	b.wantFound(home, "apples", 1)
	b.drop(home)
	b.wantFound(home, "apples")
	b.wantCount(home, "doc", 0)
	b.wantFound(other, "apples", 2)
	b.wantFound(foreign, "apples", 3)
}

func testDropAndFill(_ *testing.T, b *bundle) {
	for i := range int64(3) {
		b.replace(home, "doc", Entries("doc", 10*i+1, "red apples", "pears"))
		b.wantFound(home, "apples pears", 10*i+1, 10*i+2)
		b.drop(home)
	}
	b.replace(home, "doc", Entries("doc", 100, "green pears"))
	b.wantFound(home, "apples pears", 100)
}

func testScopes(_ *testing.T, b *bundle) {
	scopes := []retrieval.Scope{home, other, foreign}
	for i, scope := range scopes {
		b.replace(scope, "doc", Entries("doc", int64(10*i+1), "red apples", "green pears"))
	}
	for i, scope := range scopes {
		b.wantFound(scope, "apples", int64(10*i+1))
		b.wantCount(scope, "doc", 2)
	}
	b.remove(home, "doc")
	b.replace(other, "doc", Entries("doc", 15, "yellow bananas"))
	b.wantFound(home, "apples pears bananas")
	b.wantFound(other, "apples pears bananas", 15)
	b.wantFound(foreign, "apples pears bananas", 21, 22)
	b.wantCount(foreign, "doc", 2)
}

// testConcurrent lets six writers change one document each, in two scopes, and
// leave three passages in it.
func testConcurrent(t *testing.T, b *bundle) {
	scopes := []retrieval.Scope{home, other}
	var group sync.WaitGroup
	for writer := range 6 {
		group.Go(func() {
			random := rand.New(rand.NewPCG(7, uint64(writer)))
			scope, document := scopes[writer%2], fmt.Sprint("doc_", writer)
			for round := range 15 {
				var err error
				switch random.IntN(4) {
				case 0:
					err = b.index.Remove(t.Context(), scope, document)
				case 1:
					_, err = b.index.Search(t.Context(), scope, retrieval.IndexQuery{Terms: Terms("apples pears"), Limit: 5})
				default:
					err = b.index.Replace(t.Context(), scope, document, Entries(document, int64(1000*writer+10*round+1), "apples", "pears"))
				}
				if err != nil {
					t.Errorf("%s: %v", document, err)
				}
			}
			if err := b.index.Replace(t.Context(), scope, document, Entries(document, int64(1000*writer+900), "figs", "figs", "figs")); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for writer := range 6 {
		b.wantCount(scopes[writer%2], fmt.Sprint("doc_", writer), 3)
	}
	b.wantFound(home, "figs apples pears", 900, 901, 902, 2900, 2901, 2902, 4900, 4901, 4902)
	b.wantFound(other, "figs apples pears", 1900, 1901, 1902, 3900, 3901, 3902, 5900, 5901, 5902)
}

func testCanceled(t *testing.T, b *bundle) {
	b.replace(home, "doc", Entries("doc", 1, "red apples"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, searching := b.index.Search(ctx, home, retrieval.IndexQuery{Terms: Terms("apples"), Limit: 1})
	_, counting := b.index.Count(ctx, home, "doc")
	_, versioning := b.index.Version(ctx)
	_, comparing := b.index.Lacking(ctx, []retrieval.Holding{{Scope: home, Documents: 1, Passages: 1}})
	_, missing := b.index.Missing(ctx, home, map[string]int{"doc": 1})
	for call, err := range map[string]error{
		"search":  searching,
		"count":   counting,
		"version": versioning,
		"lacking": comparing,
		"missing": missing,
		"fill":    b.index.Fill(ctx, home, []retrieval.Content{contentOf("doc", 3, "pears")}),
		"replace": b.index.Replace(ctx, home, "doc", Entries("doc", 2, "pears")),
		"remove":  b.index.Remove(ctx, home, "doc"),
		"drop":    b.index.Drop(ctx, home),
		"check":   b.index.Check(ctx),
		"rebuild": b.index.Rebuild(ctx, "2", func(context.Context, retrieval.Filler) error { return nil }),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s gave %v, want context.Canceled", call, err)
		}
	}
	b.wantFound(home, "apples pears", 1)
	b.wantVersion("")
}
