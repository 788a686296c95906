package measure

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/app"
	"parley/core/fault"
)

// Two questions about a bakery's documents, of which one has a wrong neighbor.
const (
	corpus = `{"_id":"rye","title":"Rye","text":"Rye bread bakes at midnight. It keeps for 7 days."}
{"_id":"bikes","title":"Bikes","text":"We repair bikes on Tuesday. A repair costs 40 dollars."}

{"_id":"cake","title":"Cake","text":"Cakes are made to order. Order 3 days before."}
`
	queries = `{"_id":"q1","text":"When is rye baked?"}
{"_id":"q2","text":"What does a repair cost?","history":[{"speaker":"user","text":"Do you repair bikes?"},{"speaker":"agent","text":"Cakes."}]}
`
	judgments = "query-id\tcorpus-id\tscore\nq1\trye\t1\nq2\tbikes\t1\n"
)

// files writes files, of which one may be replaced.
func files(t *testing.T, replaced map[string]string) Files {
	t.Helper()
	folder := t.TempDir()
	write := func(name, content string) string {
		if other, ok := replaced[name]; ok {
			content = other
		}
		path := filepath.Join(folder, name)
		must(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	return Files{Corpus: write("corpus", corpus), Queries: write("queries", queries), Judgments: write("judgments", judgments)}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestRetrieval(t *testing.T) {
	t.Run("what is judged relevant and found first scores 1", func(t *testing.T) {
		rankings := filepath.Join(t.TempDir(), "rankings")
		report, err := Retrieval(t.Context(), &app.Config{}, files(t, nil), Options{Index: "embedded", Query: "conversation", Rankings: rankings, Depths: []int{1}})
		must(t, err)
		if report.Documents != 3 || report.Passages != 3 || report.Query != "conversation" || report.IndexBytes == 0 {
			t.Errorf("got %+v", report)
		}
		if got := report.NDCG[1]; got != 1 {
			t.Errorf("the measure is %v", got)
		}
		written, err := os.ReadFile(rankings)
		must(t, err)
		if !strings.HasPrefix(string(written), "q1\trye\t") || !strings.Contains(string(written), "\nq2\tbikes\t") {
			t.Errorf("the rankings are\n%s", written)
		}
	})
	t.Run("files may be gzipped, and judgments have four columns", func(t *testing.T) {
		var zipped strings.Builder
		w := gzip.NewWriter(&zipped)
		_, err := w.Write([]byte(corpus))
		must(t, err)
		must(t, w.Close())
		given := files(t, map[string]string{"corpus": zipped.String(), "judgments": "q1 0 rye 1\nq2 0 bikes 1\n"})
		report, err := Retrieval(t.Context(), &app.Config{}, given, Options{Index: "embedded", Query: "last", Depths: []int{1}})
		must(t, err)
		if report.NDCG[1] != 1 {
			t.Errorf("got %+v", report)
		}
	})
	for sentence, c := range map[string]struct {
		replaced map[string]string
		options  Options
		says     string
	}{
		"a depth beyond the rankings":         {nil, Options{Index: "embedded", Depths: []int{ranked + 1}}, "--k must be from 1 to 100."},
		"a line that is no JSON":              {map[string]string{"queries": "{}\nnothing"}, Options{}, "queries, line 1: not a JSON object with an id."},
		"a judgment without a grade":          {map[string]string{"judgments": "q1 rye\n"}, Options{}, "judgments, line 1: needs a question id"},
		"a grade that is no number":           {map[string]string{"judgments": "q1 rye 1\nq2 bikes good\n"}, Options{}, "judgments, line 2: the grade is not a whole number."},
		"a Weaviate that is not configured":   {nil, Options{Index: "weaviate"}, "Set WEAVIATE_URL"},
		"a document of the corpus without id": {map[string]string{"corpus": `{"text":"x"}`}, Options{Index: "embedded"}, "corpus, line 1"},
	} {
		t.Run(sentence+" is refused", func(t *testing.T) {
			_, err := Retrieval(t.Context(), &app.Config{}, files(t, c.replaced), c.options)
			if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestGrounding(t *testing.T) {
	t.Run("right answers pass, and those to other questions don't", func(t *testing.T) {
		reports, err := Grounding(t.Context(), &app.Config{}, files(t, nil), nil)
		must(t, err)
		if len(reports) != 1 || reports[0].Chosen.Questions != 2 || reports[0].HeldOut.Questions != 0 {
			t.Fatalf("got %+v", reports)
		}
		got := reports[0].Chosen
		if got.PassedRelevant != (Share{2, 2}) || got.Extractive != (Share{2, 2}) || got.Numbers != (Share{2, 2}) {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("a threshold is from 0 to 1", func(t *testing.T) {
		if _, err := Grounding(t.Context(), &app.Config{}, files(t, nil), []float64{1.5}); !fault.Is(err, fault.Invalid) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("one question alone has no other to compare with", func(t *testing.T) {
		one, _, _ := strings.Cut(queries, "\n")
		_, err := Grounding(t.Context(), &app.Config{}, files(t, map[string]string{"queries": one}), nil)
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "two questions") {
			t.Errorf("got %v", err)
		}
	})
}

func TestShare(t *testing.T) {
	if got := (Share{}).String(); got != "–" {
		t.Errorf("of none it is %s", got)
	}
	if got := (Share{1, 3}).String(); got != "0.333 (1 of 3)" {
		t.Errorf("got %s", got)
	}
}
