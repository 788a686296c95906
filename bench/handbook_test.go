package bench

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"parley/core/knowledge/trial"
	"parley/core/retrieval"
	"parley/index/embedded"
	"parley/text/encode/words"
	"parley/text/split"
	"parley/text/tokens"
)

// recorder notes what an index is asked.
type recorder struct {
	retrieval.Index
	query retrieval.IndexQuery
}

func (r *recorder) Search(ctx context.Context, scope retrieval.Scope, query retrieval.IndexQuery) (retrieval.Hits, error) {
	r.query = query
	return r.Index.Search(ctx, scope, query)
}

// BenchmarkHandbook asks the benchmark's question of the handbook in the embedded
// index: how much of the CPU time of a request is retrieval.
//
//	cd bench && go test -run '^$' -bench Handbook -cpu 1 .
func BenchmarkHandbook(b *testing.B) {
	index, err := embedded.Open(filepath.Join(b.TempDir(), "index.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = index.Close() })
	asking := &recorder{Index: index}
	scope := retrieval.Scope{WorkspaceID: "ws", ChatbotID: "bot"}
	t := trial.New(trial.Ports{Index: asking, Embedder: words.Embedder{}, Tokens: tokens.Count}, scope)
	paths, err := writeHandbook(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	passages := 0
	for i, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		n, err := t.Add(b.Context(), index, split.Document{ID: strconv.Itoa(i), Title: filepath.Base(path), Content: string(text)}, false)
		if err != nil {
			b.Fatal(err)
		}
		passages += n
	}
	var asked struct{ Message string }
	if err := json.Unmarshal([]byte(question), &asked); err != nil {
		b.Fatal(err)
	}
	b.Run("the whole retrieval", func(b *testing.B) {
		for b.Loop() {
			found, err := t.Search(b.Context(), retrieval.Query{Text: asked.Message, Limit: 20})
			if err != nil || len(found) == 0 {
				b.Fatalf("%d passages, %v", len(found), err)
			}
		}
		b.ReportMetric(float64(passages), "passages")
	})
	b.Run("the index alone", func(b *testing.B) {
		for b.Loop() {
			if _, err := index.Search(b.Context(), scope, asking.query); err != nil {
				b.Fatal(err)
			}
		}
	})
}
