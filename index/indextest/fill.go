package indextest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"parley/core/retrieval"
)

// contentOf is what an index is to hold of a document.
func contentOf(document string, first int64, texts ...string) retrieval.Content {
	return retrieval.Content{DocumentID: document, Entries: Entries(document, first, texts...)}
}

func (b *bundle) fill(scope retrieval.Scope, contents ...retrieval.Content) {
	b.Helper()
	if err := b.index.Fill(b.Context(), scope, contents); err != nil {
		b.Fatalf("fill: %v", err)
	}
}

func testFill(t *testing.T, b *bundle) {
	b.replace(home, "before", Entries("before", 1, "red apples"))
	b.replace(home, "changed", Entries("changed", 2, "sour apples", "old pears"))
	b.replace(home, "emptied", Entries("emptied", 4, "apples"))
	vector := contentOf("vector", 5, "sweet apples")
	vector.Entries[0].Vector, vector.Entries[0].SourceID = unit(1, 2), "src"
	b.fill(home, contentOf("changed", 6, "green apples"), contentOf("emptied", 0), vector, contentOf("new", 7, "apples", "pears"))
	b.wantFound(home, "apples", 1, 5, 6, 7)
	b.wantFound(home, "pears", 8)
	for document, want := range map[string]int{"before": 1, "changed": 1, "emptied": 0, "vector": 1, "new": 2} {
		b.wantCount(home, document, want)
	}
	if near := ids(b.search(home, retrieval.IndexQuery{Vector: unit(1, 2), Limit: 5}).Near); !slices.Equal(near, []int64{5}) {
		t.Errorf("near are %v, want 5", near)
	}
	of := retrieval.IndexQuery{Terms: Terms("apples"), Filter: retrieval.Filter{Sources: []string{"src"}}, Limit: 5}
	if found := ids(b.search(home, of).Lexical); !slices.Equal(found, []int64{5}) {
		t.Errorf("of the source are found %v, want 5", found)
	}
	// Each of them is a document of its own.
	b.remove(home, "vector")
	b.replace(home, "new", Entries("new", 9, "figs"))
	b.wantFound(home, "apples pears figs", 1, 6, 9)
	b.wantFound(other, "apples")
	b.fill(home)
	kept := newReference()
	kept.documents["before"], kept.documents["changed"], kept.documents["new"] = Entries("before", 1, "red apples"), Entries("changed", 6, "green apples"), Entries("new", 9, "figs")
	b.wantLexical(home, retrieval.IndexQuery{Terms: Terms("apples green"), Limit: 5}, kept)
}

func testFillRefuses(t *testing.T, b *bundle) {
	b.replace(home, "doc", Entries("doc", 1, "apples"))
	if err := b.index.Fill(t.Context(), home, []retrieval.Content{{DocumentID: "doc", Entries: Entries("another", 2, "pears")}}); err == nil {
		t.Error("an entry of another document was accepted")
	}
	two, three := contentOf("two", 3, "pears"), contentOf("three", 4, "pears")
	two.Entries[0].Vector, three.Entries[0].Vector = unit(1, 2), unit(1, 2, 3)
	if err := b.index.Fill(t.Context(), home, []retrieval.Content{two, three}); err == nil {
		t.Error("vectors of two dimensions were accepted")
	}
	b.wantFound(home, "apples", 1)
}

func testFillRebuild(_ *testing.T, b *bundle) {
	b.rebuild("one", func(into retrieval.Filler) {
		if err := into.Fill(b.Context(), home, []retrieval.Content{contentOf("a", 1, "apples"), contentOf("b", 2, "apples", "pears")}); err != nil {
			b.Errorf("fill: %v", err)
		}
		if err := into.Fill(b.Context(), home, []retrieval.Content{contentOf("b", 4, "apples"), contentOf("c", 5, "figs")}); err != nil {
			b.Errorf("fill again: %v", err)
		}
		b.wantFound(home, "apples")
	})
	b.wantFound(home, "apples pears figs", 1, 4, 5)
}

// testFillMany fills so many documents that an index needs several pieces, or calls.
func testFillMany(t *testing.T, b *bundle) {
	const documents = 700
	var contents []retrieval.Content
	expected := map[string]int{}
	for i := range documents {
		id := fmt.Sprint("doc_", i)
		contents = append(contents, contentOf(id, int64(2*i+1), "apples", fmt.Sprint("pears", i)))
		expected[id] = 2
	}
	b.fill(home, contents...)
	if missing, err := b.index.Missing(t.Context(), home, expected); err != nil || len(missing) != 0 {
		t.Errorf("%d are missing: %v", len(missing), err)
	}
	b.wantFound(home, fmt.Sprint("pears", documents-1), 2*documents)
	b.remove(home, "doc_7")
	expected["doc_9"] = 3
	missing, err := b.index.Missing(t.Context(), home, expected)
	if slices.Sort(missing); err != nil || !slices.Equal(missing, []string{"doc_7", "doc_9"}) {
		t.Errorf("missing are %v, want doc_7 and doc_9: %v", missing, err)
	}
}

func testLacking(t *testing.T, b *bundle) {
	want := func(expected []retrieval.Holding, lacking ...retrieval.Scope) {
		t.Helper()
		got, err := b.index.Lacking(t.Context(), expected)
		slices.SortFunc(got, compareScopes)
		slices.SortFunc(lacking, compareScopes)
		if err != nil || !slices.Equal(got, lacking) {
			t.Errorf("lacking are %v, want %v: %v", got, lacking, err)
		}
	}
	expected := []retrieval.Holding{{Scope: home, Documents: 2, Passages: 3}, {Scope: other, Documents: 1, Passages: 1}}
	want(expected, home, other)
	want(nil)
	b.fill(home, contentOf("a", 1, "apples"), contentOf("b", 2, "apples", "pears"))
	want(expected, other)
	b.replace(other, "doc", Entries("doc", 4, "apples"))
	want(expected)
	b.replace(home, "a", Entries("a", 5, "apples", "pears"))
	want(expected, home)
	b.replace(home, "a", Entries("a", 7, "apples"))
	b.drop(other)
	want(expected, other)
	for _, scope := range []retrieval.Scope{other, foreign} {
		if missing, err := b.index.Missing(t.Context(), scope, map[string]int{"doc": 1, "none": 0}); err != nil || !slices.Equal(missing, []string{"doc"}) {
			t.Errorf("missing are %v, want doc: %v", missing, err)
		}
	}
}

func compareScopes(a, b retrieval.Scope) int {
	return cmp.Or(cmp.Compare(a.WorkspaceID, b.WorkspaceID), cmp.Compare(a.ChatbotID, b.ChatbotID))
}
