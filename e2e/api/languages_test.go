package api

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/e2e/harness"
)

// languages are those of the question sets in testdata/languages.
var languages = []string{"ar", "de", "es", "fr", "ja", "pt", "ru", "zh"}

// recall5 is the recall@5 of a question set.
func recall5(term *harness.Terminal, folder string) float64 {
	term.Helper()
	recall, _ := evaluated(term, folder, "", "--query=last", "--k=5")["recall"].(map[string]any)
	value, ok := recall["5"].(float64)
	if !ok {
		term.Fatalf("there is no recall@5 of %s", folder)
	}
	return value
}

// TestLanguages holds what docs/retrieval.md says of each language, less one question of 20.
func TestLanguages(t *testing.T) {
	t.Parallel()
	for language, least := range map[string]float64{"ar": .75, "de": .775, "es": .75, "fr": .75, "ja": .90, "pt": .70, "ru": .80, "zh": .85} {
		t.Run("questions in "+language+" find their documents", func(t *testing.T) {
			term := &harness.Terminal{T: t, Folder: t.TempDir()}
			if got := recall5(term, filepath.Join("../testdata", "languages", language)); got < least {
				t.Errorf("recall@5 is %.3f, want at least %.3f", got, least)
			}
		})
	}
	t.Run("documents of all languages may lie in one chatbot", func(t *testing.T) {
		term := &harness.Terminal{T: t, Folder: t.TempDir()}
		all := t.TempDir()
		for _, name := range []string{"corpus.jsonl", "queries.jsonl", "qrels.tsv"} {
			var joined strings.Builder
			for _, language := range languages {
				part, err := os.ReadFile(filepath.Join("../testdata", "languages", language, name))
				if err != nil {
					t.Fatal(err)
				}
				joined.Write(part)
			}
			if err := os.WriteFile(filepath.Join(all, name), []byte(joined.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := recall5(term, all); got < .81 {
			t.Errorf("recall@5 is %.3f, want at least .81", got)
		}
	})
}
