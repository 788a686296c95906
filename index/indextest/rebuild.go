package indextest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"parley/core/retrieval"
)

var errTest = errors.New("the test's own failure")

// rebuild rebuilds with fill and fails the test on an error.
func (b *bundle) rebuild(version string, fill func(into retrieval.Filler)) {
	b.Helper()
	err := b.index.Rebuild(b.Context(), version, func(_ context.Context, into retrieval.Filler) error {
		fill(into)
		return nil
	})
	if err != nil {
		b.Fatalf("rebuild: %v", err)
	}
}

func (b *bundle) put(into retrieval.Filler, scope retrieval.Scope, document string, entries []retrieval.Entry) {
	b.Helper()
	if err := into.Replace(b.Context(), scope, document, entries); err != nil {
		b.Errorf("replace while rebuilding: %v", err)
	}
}

func testRebuild(_ *testing.T, b *bundle) {
	b.wantVersion("")
	b.replace(home, "doc", Entries("doc", 1, "red apples"))
	b.rebuild("one", func(into retrieval.Filler) {
		b.put(into, home, "doc", Entries("doc", 2, "draft"))
		b.put(into, home, "doc", Entries("doc", 3, "green apples", "pears"))
		b.put(into, other, "doc", Entries("doc", 5, "apples"))
		b.wantFound(home, "apples pears draft", 1)
		b.wantFound(other, "apples")
		b.wantCount(home, "doc", 1)
		b.wantVersion("")
	})
	b.wantVersion("one")
	b.wantFound(home, "apples pears draft", 3, 4)
	b.wantFound(other, "apples", 5)
	b.wantCount(home, "doc", 2)

	b.replace(home, "doc", Entries("doc", 6, "figs"))
	b.wantFound(home, "apples figs", 6)
	// The same version again, as after a wrong rebuild.
	b.rebuild("one", func(into retrieval.Filler) { b.put(into, home, "doc", Entries("doc", 7, "apples")) })
	b.wantFound(home, "apples figs", 7)
	b.rebuild("two", func(retrieval.Filler) {})
	b.wantVersion("two")
	b.wantFound(home, "apples figs")
	b.wantCount(home, "doc", 0)
}

func testRebuildFails(t *testing.T, b *bundle) {
	b.replace(home, "doc", Entries("doc", 1, "red apples"))
	err := b.index.Rebuild(t.Context(), "broken", func(ctx context.Context, into retrieval.Filler) error {
		b.put(into, home, "left", Entries("left", 2, "apples"))
		return errTest
	})
	if !errors.Is(err, errTest) {
		t.Errorf("rebuild gave %v, want the failure of fill", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err = b.index.Rebuild(ctx, "canceled", func(ctx context.Context, into retrieval.Filler) error {
		b.put(into, home, "left", Entries("left", 3, "apples"))
		cancel()
		return into.Replace(ctx, home, "more", Entries("more", 4, "apples"))
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("rebuild gave %v, want context.Canceled", err)
	}
	b.wantVersion("")
	b.wantFound(home, "apples", 1)
	b.wantCount(home, "left", 0)
	b.rebuild("good", func(into retrieval.Filler) { b.put(into, home, "new", Entries("new", 5, "apples")) })
	b.wantVersion("good")
	b.wantFound(home, "apples", 5)
}

func testRebuildStartsEmpty(t *testing.T, b *bundle) {
	b.replace(home, "kept", Entries("kept", 1, "apples"))
	b.replace(home, "going", Entries("going", 2, "apples"))
	b.rebuild("one", func(into retrieval.Filler) {
		b.put(into, home, "kept", Entries("kept", 1, "apples"))
		b.replace(home, "late", Entries("late", 3, "apples"))
		b.remove(home, "going")
		b.wantFound(home, "apples", 1, 3)
		b.drop(other)
	})
	b.wantFound(home, "apples", 1)
	b.wantCount(home, "late", 0)
	// N and the average length belong to the new index.
	kept := newReference()
	kept.documents["kept"] = Entries("kept", 1, "apples")
	b.wantLexical(home, retrieval.IndexQuery{Terms: Terms("apples"), Limit: 5}, kept)
	if t.Failed() {
		t.Log("changes during a rebuild affect only the old index")
	}
}

func testRebuildConcurrently(_ *testing.T, b *bundle) {
	b.rebuild("one", func(into retrieval.Filler) {
		var group sync.WaitGroup
		for i := range int64(8) {
			group.Go(func() {
				for j := range int64(5) {
					document := fmt.Sprintf("doc_%d_%d", i, j)
					b.put(into, home, document, Entries(document, 100*i+10*j+1, "apples", "pears"))
				}
			})
		}
		group.Wait()
	})
	if hits := b.search(home, retrieval.IndexQuery{Terms: Terms("pears"), Limit: 100}).Lexical; len(hits) != 40 {
		b.Errorf("%d passages are found, want 40", len(hits))
	}
	b.wantCount(home, "doc_7_4", 2)
}

// testRebuildVectors rebuilds more than once: an index that searches for vectors a
// moment too early finds most of them each time, and often all of them.
func testRebuildVectors(t *testing.T, b *bundle) {
	const rounds, documents, dimension = 8, 40, 256
	random := rand.New(rand.NewPCG(7, 7))
	numbers := make([]float32, documents+dimension)
	for i := range numbers {
		numbers[i] = float32(random.NormFloat64())
	}
	for round := range int64(rounds) {
		last := round == rounds-1
		b.rebuild("one", func(into retrieval.Filler) {
			var group sync.WaitGroup
			for i := range int64(documents) {
				group.Go(func() {
					document := fmt.Sprint("doc_", i)
					entries := Entries(document, 1000*round+i+1, "apples")
					entries[0].Vector = unit(numbers[i : i+dimension]...)
					b.put(into, home, document, entries)
					if last && i%8 == 0 { // written again without its vector
						entries[0].Vector = nil
						b.put(into, home, document, entries)
					}
				})
			}
			group.Wait()
		})
		want := documents
		if last {
			want -= documents / 8
		}
		if near := b.search(home, retrieval.IndexQuery{Vector: unit(numbers[:dimension]...), Limit: documents}).Near; len(near) != want {
			t.Fatalf("after rebuild %d, %d vectors are found, want %d", round, len(near), want)
		}
	}
}

func testRebuildDimension(t *testing.T, b *bundle) {
	put := func(replace func(scope retrieval.Scope, document string, entries []retrieval.Entry), id int64, vector []float32) {
		entries := Entries("doc", id, "apples")
		entries[0].Vector = vector
		replace(home, "doc", entries)
	}
	put(b.replace, 1, unit(1, 2))
	b.rebuild("three", func(into retrieval.Filler) {
		put(func(scope retrieval.Scope, document string, entries []retrieval.Entry) {
			b.put(into, scope, document, entries)
		}, 2, unit(1, 2, 3))
		put(b.replace, 3, unit(2, 1))
	})
	put(b.replace, 4, unit(3, 2, 1))
	if near := ids(b.search(home, retrieval.IndexQuery{Vector: unit(1, 1, 1), Limit: 5}).Near); !slices.Equal(near, []int64{4}) {
		t.Errorf("found %v, want 4", near)
	}
}
