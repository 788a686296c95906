package indextest

import (
	"sync"
	"testing"

	"parley/core/knowledge"
)

func testReplace(_ *testing.T, b *bundle) {
	b.replace(home, "doc", passages("doc", 1, "red apples", "green pears"))
	b.replace(home, "doc", passages("doc", 11, "yellow bananas"))
	b.wantFound(home, "apples pears bananas", 11)
	b.wantCount(home, "doc", 1)
	// The same IDs again, as a repeated delivery brings them.
	b.replace(home, "doc", passages("doc", 11, "yellow bananas"))
	b.wantFound(home, "bananas", 11)
}

// testAtomic replaces two passages by two others again and again. A search
// that finds one of each, or none, or one, saw a change half done.
func testAtomic(t *testing.T, b *bundle) {
	b.replace(home, "doc", passages("doc", 1, "kiwi one", "kiwi two"))
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
				query := knowledge.Query{Text: "kiwi", Context: []string{"one two"}, Limit: 10}
				hits, err := b.index.Search(t.Context(), home, query)
				if err != nil {
					t.Errorf("search: %v", err)
					return
				}
				if len(hits) != 2 || (hits[0].PassageID > 10) != (hits[1].PassageID > 10) {
					t.Errorf("found %v, want both old or both new passages", ids(hits))
					return
				}
			}
		})
	}
	for i := range 60 {
		first := int64(1 + 10*(i%2))
		if err := b.index.Replace(t.Context(), home, "doc", passages("doc", first, "kiwi one", "kiwi two")); err != nil {
			t.Errorf("replace: %v", err)
			break
		}
	}
	close(done)
	group.Wait()
}

func testReplaceWithNone(_ *testing.T, b *bundle) {
	b.replace(home, "doc", passages("doc", 1, "red apples"))
	b.replace(home, "doc", nil)
	b.wantFound(home, "apples")
	b.wantCount(home, "doc", 0)
}

func testForeignPassage(t *testing.T, b *bundle) {
	b.replace(home, "doc", passages("doc", 1, "red apples"))
	if err := b.index.Replace(t.Context(), home, "doc", passages("another", 2, "pears")); err == nil {
		t.Error("a passage of another document was accepted")
	}
	b.wantFound(home, "apples pears", 1)
}

func testRemove(_ *testing.T, b *bundle) {
	b.replace(home, "doc", passages("doc", 1, "red apples", "more apples"))
	b.replace(home, "kept", passages("kept", 3, "apples too"))
	b.wantCount(home, "doc", 2)
	b.remove(home, "doc")
	b.wantFound(home, "apples", 3)
	b.wantCount(home, "doc", 0)
	b.wantCount(home, "kept", 1)
}

func testRemoveNothing(_ *testing.T, b *bundle) {
	b.remove(home, "doc")
	b.drop(home)
	b.replace(home, "doc", passages("doc", 1, "red apples"))
	b.remove(home, "another")
	b.wantFound(home, "apples", 1)
}

func testDrop(_ *testing.T, b *bundle) {
	for i, scope := range []knowledge.Scope{home, other, foreign} {
		b.replace(scope, "doc", passages("doc", int64(1+i), "red apples"))
	}
	b.wantFound(home, "apples", 1)
	b.drop(home)
	b.wantFound(home, "apples")
	b.wantCount(home, "doc", 0)
	b.wantFound(other, "apples", 2)
	b.wantFound(foreign, "apples", 3)
}

func testDropAndFill(_ *testing.T, b *bundle) {
	b.replace(home, "doc", passages("doc", 1, "red apples"))
	b.wantFound(home, "apples", 1)
	b.drop(home)
	b.replace(home, "doc", passages("doc", 2, "green pears"))
	b.wantFound(home, "apples pears", 2)
}

func testScopes(_ *testing.T, b *bundle) {
	scopes := []knowledge.Scope{home, other, foreign}
	for i, scope := range scopes {
		b.replace(scope, "doc", passages("doc", int64(10*i+1), "red apples", "green pears"))
	}
	for i, scope := range scopes {
		b.wantFound(scope, "apples", int64(10*i+1))
		b.wantCount(scope, "doc", 2)
	}
	b.remove(home, "doc")
	b.replace(other, "doc", passages("doc", 15, "yellow bananas"))
	b.wantFound(home, "apples pears bananas")
	b.wantFound(other, "apples pears bananas", 15)
	b.wantFound(foreign, "apples pears bananas", 21, 22)
	b.wantCount(foreign, "doc", 2)
}
