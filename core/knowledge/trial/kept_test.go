package trial

import (
	"path/filepath"
	"strings"
	"testing"

	"parley/core/retrieval"
	"parley/index/embedded"
	"parley/text/split"
)

func TestPassages(t *testing.T) {
	t.Run("a trial that keeps its passages gives them as a chatbot's model gets them", func(t *testing.T) {
		index, err := embedded.Open(filepath.Join(t.TempDir(), "index.db"))
		must(t, err)
		t.Cleanup(func() { must(t, index.Close()) })
		trial := New(Ports{Index: index, Keep: true}, retrieval.Scope{WorkspaceID: "ws", ChatbotID: "cb"})
		_, err = trial.AddAt(t.Context(), index, 0, split.Document{ID: "bread", Title: "Bread", Content: "# Rye\n\nRye bread bakes at midnight.\n"}, false)
		must(t, err)
		_, err = trial.AddAt(t.Context(), index, 1, split.Document{ID: "bikes", Title: "Bikes", Content: "We repair bikes."}, false)
		must(t, err)
		found, err := trial.Passages(t.Context(), retrieval.Query{Text: "When is rye baked?", Limit: 5})
		must(t, err)
		if len(found) != 1 || found[0].DocumentID != "bread" || found[0].Title != "Bread" || !strings.Contains(found[0].Text, "midnight") || found[0].Score <= 0 {
			t.Errorf("found is %+v", found)
		}
	})
}
