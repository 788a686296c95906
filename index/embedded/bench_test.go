package embedded

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/knowledge"
)

// fill gives a chatbot n passages of 150 words, whose frequencies fall as
// those of a language do, 200 to a document.
func fill(b *testing.B, index *Index, chatbot, n int, first int64) {
	b.Helper()
	random := rand.New(rand.NewPCG(1, uint64(chatbot)))
	words := rand.NewZipf(random, 1.1, 10, 20_000)
	var list []knowledge.Passage
	for i := range n {
		var text strings.Builder
		for range 150 {
			fmt.Fprintf(&text, "w%d ", words.Uint64())
		}
		id := fmt.Sprint("doc_", i/200)
		list = append(list, knowledge.Passage{ID: first + int64(i), DocumentID: id, Title: "Guide", Text: text.String()})
		if len(list) == 200 || i == n-1 {
			if err := index.Replace(context.Background(), scope(chatbot), id, list); err != nil {
				b.Fatal(err)
			}
			list = nil
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	index := open(b, filepath.Join(b.TempDir(), "index.db"))
	fill(b, index, 0, 20_000, 1_000_000)
	for chatbot, n := range map[int]int{1: 300, 2: 20_000} {
		fill(b, index, chatbot, n, int64(chatbot)*2_000_000)
		for _, earlier := range [][]string{nil, {"w40 w90 w800", "w300 w1200 w77"}} {
			b.Run(fmt.Sprintf("passages=%d/earlier=%d", n, len(earlier)), func(b *testing.B) {
				query := knowledge.Query{Text: "How do I w50 the w120 of w500 w2000 w9000?", Context: earlier, Limit: 8}
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				for b.Loop() {
					hits, err := index.Search(ctx, scope(chatbot), query)
					if err != nil || len(hits) != query.Limit {
						b.Fatalf("%d hits, %v", len(hits), err)
					}
				}
			})
		}
	}
}
