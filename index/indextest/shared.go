package indextest

import (
	"fmt"
	"sync"
	"testing"

	"parley/core/retrieval"
)

func testSharedChanges(_ *testing.T, one, two *bundle) {
	one.replace(home, "doc", Entries("doc", 1, "apples"))
	two.wantFound(home, "apples", 1)
	two.replace(home, "doc", Entries("doc", 2, "apples", "pears"))
	two.replace(home, "more", Entries("more", 4, "apples"))
	one.wantFound(home, "apples pears", 2, 3, 4)
	one.wantCount(home, "doc", 2)
	one.remove(home, "doc")
	two.wantFound(home, "apples pears", 4)
	one.drop(home)
	two.wantFound(home, "apples pears")
	two.replace(home, "doc", Entries("doc", 5, "apples"))
	one.wantFound(home, "apples pears", 5)
	two.wantFound(home, "apples pears", 5)
}

func testSharedRebuild(_ *testing.T, one, two *bundle) {
	one.replace(home, "doc", Entries("doc", 1, "apples"))
	two.wantFound(home, "apples", 1)
	two.rebuild("new", func(into retrieval.Filler) {
		two.put(into, home, "doc", Entries("doc", 2, "apples", "pears"))
		one.wantFound(home, "apples pears", 1)
	})
	one.wantVersion("new")
	two.wantVersion("new")
	one.wantFound(home, "apples pears", 2, 3)
	two.wantFound(home, "apples pears", 2, 3)
	one.replace(home, "more", Entries("more", 4, "apples"))
	two.wantFound(home, "apples", 2, 4)
}

func testSharedWriters(t *testing.T, one, two *bundle) {
	var group sync.WaitGroup
	for i, b := range []*bundle{one, two} {
		for j := range 20 {
			group.Go(func() {
				id := int64(100*i + j + 1)
				document := fmt.Sprint("doc_", id)
				if err := b.index.Replace(t.Context(), home, document, Entries(document, id, "apples")); err != nil {
					t.Error(err)
				}
			})
		}
	}
	group.Wait()
	for _, b := range []*bundle{one, two} {
		if hits := b.search(home, retrieval.IndexQuery{Terms: Terms("apples"), Limit: 100}).Lexical; len(hits) != 40 {
			t.Errorf("%d passages are found, want 40", len(hits))
		}
	}
}
