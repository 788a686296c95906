package indextest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/core/retrieval"
)

// Entries makes entries of a document with consecutive passage IDs. The terms of
// each entry are the words of one text.
func Entries(document string, first int64, texts ...string) []retrieval.Entry {
	made := make([]retrieval.Entry, 0, len(texts))
	for i, text := range texts {
		made = append(made, retrieval.Entry{PassageID: first + int64(i), DocumentID: document, Terms: strings.Fields(text)})
	}
	return made
}

// Terms makes terms of weight one from the words of a text, each word once.
func Terms(text string) []retrieval.Term {
	var terms []retrieval.Term
	words := strings.Fields(text)
	for i, word := range words {
		if !slices.Contains(words[:i], word) {
			terms = append(terms, retrieval.Term{Text: word, Weight: 1})
		}
	}
	return terms
}

// bundle is an index whose methods fail the test on an error.
type bundle struct {
	*testing.T
	index retrieval.Index
}

func newBundle(t *testing.T, index retrieval.Index) *bundle { return &bundle{T: t, index: index} }

func (b *bundle) replace(scope retrieval.Scope, document string, entries []retrieval.Entry) {
	b.Helper()
	if err := b.index.Replace(b.Context(), scope, document, entries); err != nil {
		b.Fatalf("replace %.80q in %s: %v", document, name(scope), err)
	}
}

func (b *bundle) remove(scope retrieval.Scope, document string) {
	b.Helper()
	if err := b.index.Remove(b.Context(), scope, document); err != nil {
		b.Fatalf("remove: %v", err)
	}
}

func (b *bundle) drop(scope retrieval.Scope) {
	b.Helper()
	if err := b.index.Drop(b.Context(), scope); err != nil {
		b.Fatalf("drop: %v", err)
	}
}

func (b *bundle) search(scope retrieval.Scope, query retrieval.IndexQuery) retrieval.Hits {
	b.Helper()
	hits, err := b.index.Search(b.Context(), scope, query)
	if err != nil {
		b.Fatalf("search in %s: %v", name(scope), err)
	}
	return hits
}

// wantFound fails unless the words of text find exactly these passages, in any
// order.
func (b *bundle) wantFound(scope retrieval.Scope, text string, want ...int64) {
	b.Helper()
	got := ids(b.search(scope, retrieval.IndexQuery{Terms: Terms(text), Limit: 100}).Lexical)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		b.Errorf("search %q in %s found %v, want %v", text, name(scope), got, want)
	}
}

func (b *bundle) wantCount(scope retrieval.Scope, document string, want int) {
	b.Helper()
	got, err := b.index.Count(b.Context(), scope, document)
	if err != nil {
		b.Fatalf("count: %v", err)
	}
	if got != want {
		b.Errorf("count of %.80q in %s is %d, want %d", document, name(scope), got, want)
	}
}

func (b *bundle) wantVersion(want string) {
	b.Helper()
	got, err := b.index.Version(b.Context())
	if err != nil {
		b.Fatalf("version: %v", err)
	}
	if got != want {
		b.Errorf("version is %q, want %q", got, want)
	}
}

func ids(hits []retrieval.Hit) []int64 {
	var list []int64
	for _, hit := range hits {
		list = append(list, hit.PassageID)
	}
	return list
}

func name(scope retrieval.Scope) string {
	return fmt.Sprintf("%.20s/%.20s", scope.WorkspaceID, scope.ChatbotID)
}
