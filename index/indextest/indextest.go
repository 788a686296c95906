// Package indextest owns what every retrieval index must do, as one suite of
// tests, and a decorator with which other packages' tests keep indexes out of
// database transactions.
//
// It does not own how good a ranking is: that differs from index to index.
package indextest

import (
	"fmt"
	"slices"
	"testing"

	"parley/core/knowledge"
)

// Run tests an index. Each call of open gives an empty index, which open
// closes with t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) knowledge.Index) {
	for _, c := range []struct {
		sentence string
		test     func(t *testing.T, b *bundle)
	}{
		{"replace makes the passages the only ones of the document", testReplace},
		{"replace is atomic under concurrent search", testAtomic},
		{"replace with no passages removes the document", testReplaceWithNone},
		{"replace refuses a passage of another document", testForeignPassage},
		{"a removed document is found no more when remove returns", testRemove},
		{"removing what is not there is no error", testRemoveNothing},
		{"dropping a scope takes all of it, and only it", testDrop},
		{"a dropped scope can be filled again", testDropAndFill},
		{"scopes do not see or change each other", testScopes},
		{"an empty scope has no hits", testEmptyScope},
		{"any text is a legal question", testHostile},
		{"any text can be indexed", testHostilePassages},
		{"a search returns no more than its limit", testLimit},
		{"the best hit comes first", testOrder},
		{"title and headings are searched", testTitleAndHeading},
		{"earlier questions carry terms over", testContext},
		{"the question outweighs earlier questions", testContextWeight},
		{"a done context ends every call with its error", testCancelled},
		{"an open index can be used", testCheck},
	} {
		t.Run(c.sentence, func(t *testing.T) { c.test(t, &bundle{T: t, index: open(t)}) })
	}
}

var (
	home  = knowledge.Scope{WorkspaceID: "ws_1", ChatbotID: "cb_1"}
	other = knowledge.Scope{WorkspaceID: "ws_1", ChatbotID: "cb_2"}
	// foreign has the chatbot of home in another workspace.
	foreign = knowledge.Scope{WorkspaceID: "ws_2", ChatbotID: "cb_1"}
)

// bundle is an index with calls that fail the test on an error.
type bundle struct {
	*testing.T
	index knowledge.Index
}

// passages makes passages of a document, with IDs from first on.
func passages(document string, first int64, texts ...string) []knowledge.Passage {
	var made []knowledge.Passage
	for i, text := range texts {
		made = append(made, knowledge.Passage{ID: first + int64(i), DocumentID: document, Ordinal: i, Title: "Handbook", Text: text})
	}
	return made
}

func (b *bundle) replace(scope knowledge.Scope, document string, list []knowledge.Passage) {
	b.Helper()
	if err := b.index.Replace(b.Context(), scope, document, list); err != nil {
		b.Fatalf("replace: %v", err)
	}
}

func (b *bundle) remove(scope knowledge.Scope, document string) {
	b.Helper()
	if err := b.index.Remove(b.Context(), scope, document); err != nil {
		b.Fatalf("remove: %v", err)
	}
}

func (b *bundle) drop(scope knowledge.Scope) {
	b.Helper()
	if err := b.index.Drop(b.Context(), scope); err != nil {
		b.Fatalf("drop: %v", err)
	}
}

func (b *bundle) search(scope knowledge.Scope, text string, context ...string) []knowledge.Hit {
	b.Helper()
	hits, err := b.index.Search(b.Context(), scope, knowledge.Query{Text: text, Context: context, Limit: 10})
	if err != nil {
		b.Fatalf("search %.80q: %v", text, err)
	}
	return hits
}

// wantFound fails unless exactly the passages are found, in any order.
func (b *bundle) wantFound(scope knowledge.Scope, text string, want ...int64) {
	b.Helper()
	got := ids(b.search(scope, text))
	slices.Sort(got)
	if !slices.Equal(got, want) {
		b.Errorf("search %q in %s found %v, want %v", text, name(scope), got, want)
	}
}

func (b *bundle) wantCount(scope knowledge.Scope, document string, want int) {
	b.Helper()
	got, err := b.index.Count(b.Context(), scope, document)
	if err != nil {
		b.Fatalf("count: %v", err)
	}
	if got != want {
		b.Errorf("count of %s in %s is %d, want %d", document, name(scope), got, want)
	}
}

func ids(hits []knowledge.Hit) []int64 {
	var list []int64
	for _, hit := range hits {
		list = append(list, hit.PassageID)
	}
	return list
}

func name(scope knowledge.Scope) string {
	return fmt.Sprintf("%s/%s", scope.WorkspaceID, scope.ChatbotID)
}
