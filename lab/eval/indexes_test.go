package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley/internal/weaviatetest"
)

// The measures can be the same as equal scores are in the order of the corpus,
// and as the documents that are judged stand clear of others: cosines differ by
// about .001, for the embedded index keeps vectors in fewer bits.
func TestEvalRetrievalOnBothIndexes(t *testing.T) {
	server := weaviatetest.New(t)
	term := newTerminal(t)
	var corpus, queries, judged strings.Builder
	for i, topic := range []string{"deliveries", "refunds", "holidays", "warranty", "parking", "insurance", "allergies", "invoices", "gift cards", "repairs"} {
		for j, place := range []string{"the counter", "the web site", "the telephone"} {
			text := fmt.Sprintf("The rule for %s at %s. %s", topic, place, strings.Repeat("Ask "+place+" about "+topic+". ", 1+(i+j)%4))
			fmt.Fprintf(&corpus, `{"id":"d%d-%d","title":"Rules, %s","text":%q}`+"\n", i, j, place, text)
		}
		fmt.Fprintf(&queries, `{"id":"q%d","text":"Where do I ask about %s by telephone?"}`+"\n", i, topic)
		fmt.Fprintf(&judged, "q%d\td%d-2\t2\nq%d\td%d-0\t1\n", i, i, i, i)
	}
	term.file("corpus.jsonl", corpus.String())
	term.file("queries.jsonl", queries.String())
	term.file("qrels.tsv", judged.String())
	measures := func(args ...string) string {
		report := term.evaluated(term.folder, "", args...)
		for _, name := range []string{"index_seconds", "index_bytes", "queries_per_second"} {
			delete(report, name)
		}
		text, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	t.Run("the measures are the same, and the trial leaves nothing behind", func(t *testing.T) {
		here := measures()
		there := measures("--index=weaviate", "--weaviate-url="+server.URL, "--weaviate-grpc="+server.GRPC, "--weaviate-api-key="+server.Key)
		if here != there {
			t.Errorf("embedded: %s\nWeaviate: %s", here, there)
		}
		for _, name := range server.Collections(t) {
			if strings.HasPrefix(name, "Eval") {
				t.Errorf("%s is left", name)
			}
		}
	})
}
