package indextest

import (
	"errors"
	"iter"
	"testing"

	"parley/core/retrieval"
)

// listed is a list of scopes that ends with an error, if there is one. Reading it begins
// with first.
func listed(first func(), err error, scopes ...retrieval.Scope) iter.Seq2[retrieval.Scope, error] {
	return func(yield func(retrieval.Scope, error) bool) {
		first()
		for _, scope := range scopes {
			if !yield(scope, nil) {
				return
			}
		}
		if err != nil {
			yield(retrieval.Scope{}, err)
		}
	}
}

func testDropOthers(t *testing.T, b *bundle) {
	b.replace(home, "doc", Entries("doc", 1, "red apples"))
	b.replace(other, "doc", Entries("doc", 2, "red apples"))
	b.replace(foreign, "doc", Entries("doc", 3, "red apples"))
	late := retrieval.Scope{WorkspaceID: home.WorkspaceID, ChatbotID: "late"}
	meanwhile := func() { b.replace(late, "doc", Entries("doc", 4, "red apples")) }
	nowhere := retrieval.Scope{WorkspaceID: "nowhere", ChatbotID: "nowhere"}
	dropped, err := b.index.DropOthers(t.Context(), listed(meanwhile, nil, foreign, home, nowhere))
	if err != nil || dropped != 1 {
		t.Errorf("%d scopes were dropped, want 1: %v", dropped, err)
	}
	b.wantFound(home, "apples", 1)
	b.wantFound(foreign, "apples", 3)
	b.wantFound(late, "apples", 4)
	b.wantFound(other, "apples")
	b.wantCount(other, "doc", 0)
	b.replace(other, "doc", Entries("doc", 5, "red apples"))
	b.wantFound(other, "apples", 5)
}

func testDropOthersFails(t *testing.T, b *bundle) {
	b.replace(home, "doc", Entries("doc", 1, "red apples"))
	b.replace(other, "doc", Entries("doc", 2, "red apples"))
	dropped, err := b.index.DropOthers(t.Context(), listed(func() {}, errTest, home))
	if !errors.Is(err, errTest) || dropped != 0 {
		t.Errorf("%d scopes were dropped, and the error is %v", dropped, err)
	}
	b.wantFound(home, "apples", 1)
	b.wantFound(other, "apples", 2)
}
