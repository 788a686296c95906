package measure

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/app"
)

// languages are the languages of the question sets in testdata/languages.
var languages = []string{"ar", "de", "es", "fr", "ja", "pt", "ru", "zh"}

// recall5 is the recall@5 of a question set.
func recall5(t *testing.T, folder string) float64 {
	t.Helper()
	config := &app.Config{}
	config.Encode = "on" // as it is where nothing says otherwise
	files := Files{Corpus: filepath.Join(folder, "corpus.jsonl"), Queries: filepath.Join(folder, "queries.jsonl"), Judgments: filepath.Join(folder, "qrels.tsv")}
	report, err := Retrieval(t.Context(), config, files, Options{Index: "embedded", Query: "last", Depths: []int{5}})
	must(t, err)
	return report.Recall[5]
}

// TestLanguages holds what docs/retrieval.md says of each language, less one question of 20.
func TestLanguages(t *testing.T) {
	t.Parallel()
	for language, least := range map[string]float64{"ar": .75, "de": .775, "es": .75, "fr": .75, "ja": .90, "pt": .70, "ru": .80, "zh": .85} {
		t.Run("questions in "+language+" find their documents", func(t *testing.T) {
			if got := recall5(t, filepath.Join("..", "testdata", "languages", language)); got < least {
				t.Errorf("recall@5 is %.3f, want at least %.3f", got, least)
			}
		})
	}
	t.Run("documents of all languages may lie in one chatbot", func(t *testing.T) {
		all := t.TempDir()
		for _, name := range []string{"corpus.jsonl", "queries.jsonl", "qrels.tsv"} {
			var joined strings.Builder
			for _, language := range languages {
				part, err := os.ReadFile(filepath.Join("..", "testdata", "languages", language, name))
				if err != nil {
					t.Fatal(err)
				}
				joined.Write(part)
			}
			if err := os.WriteFile(filepath.Join(all, name), []byte(joined.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := recall5(t, all); got < .81 {
			t.Errorf("recall@5 is %.3f, want at least .81", got)
		}
	})
}
