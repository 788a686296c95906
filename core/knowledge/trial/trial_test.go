package trial

import (
	"path/filepath"
	"testing"

	"parley/core/retrieval"
	"parley/index/embedded"
	"parley/text/split"
)

// open returns an empty trial on an index of its own.
func open(t *testing.T) (*Trial, *embedded.Index) {
	t.Helper()
	index, err := embedded.Open(filepath.Join(t.TempDir(), "index.db"))
	must(t, err)
	t.Cleanup(func() { must(t, index.Close()) })
	return New(Ports{Index: index}, retrieval.Scope{WorkspaceID: "ws", ChatbotID: "cb"}), index
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestTrial(t *testing.T) {
	t.Run("a document is found by any of its passages, and is in the ranking once", func(t *testing.T) {
		trial, index := open(t)
		sections := "# Rye\n\nRye bread bakes at midnight.\n\n# More rye\n\nRye keeps for a week.\n\n"
		n, err := trial.Add(t.Context(), index, split.Document{ID: "bread", Title: "Bread", Content: sections}, false)
		must(t, err)
		if n < 1 {
			t.Fatalf("it has %d passages", n)
		}
		_, err = trial.Add(t.Context(), index, split.Document{ID: "bikes", Title: "Bikes", Content: "We repair bikes."}, false)
		must(t, err)
		found, err := trial.Search(t.Context(), retrieval.Query{Text: "When is rye baked?", Limit: 10})
		must(t, err)
		if len(found) != 1 || found[0].DocumentID != "bread" || found[0].Score <= 0 {
			t.Errorf("found is %+v", found)
		}
	})
	t.Run("a whole document is a single passage", func(t *testing.T) {
		trial, index := open(t)
		text := "# One\n\nFirst.\n\n# Two\n\nSecond."
		if n, err := trial.Add(t.Context(), index, split.Document{ID: "doc", Title: "T", Content: text}, true); err != nil || n != 1 {
			t.Errorf("it has %d: %v", n, err)
		}
	})
	t.Run("documents of equal score are in the order of the corpus, whichever was added first", func(t *testing.T) {
		trial, index := open(t)
		for _, place := range []int{2, 0, 1} {
			d := split.Document{ID: string(rune('a' + place)), Title: "Same", Content: "The same words."}
			_, err := trial.AddAt(t.Context(), index, place, d, true)
			must(t, err)
		}
		found, err := trial.Search(t.Context(), retrieval.Query{Text: "same words", Limit: 10})
		must(t, err)
		if len(found) != 3 || found[0].DocumentID != "a" || found[1].DocumentID != "b" || found[2].DocumentID != "c" {
			t.Errorf("found is %+v", found)
		}
	})
	t.Run("a document without words is not in the index", func(t *testing.T) {
		trial, index := open(t)
		if n, err := trial.Add(t.Context(), index, split.Document{ID: "empty", Content: " \n"}, false); n != 0 || err != nil {
			t.Errorf("it has %d passages: %v", n, err)
		}
	})
}
