package api

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/e2e/harness"
	"parley/internal/weaviatetest"
)

// evaluated runs parley eval retrieval with --json on files of a folder.
func evaluated(term *harness.Terminal, folder, end string, args ...string) map[string]any {
	term.Helper()
	return term.Record(append([]string{
		"eval", "retrieval", "--corpus=" + filepath.Join(folder, "corpus.jsonl"+end),
		"--queries=" + filepath.Join(folder, "queries.jsonl"+end), "--qrels=" + filepath.Join(folder, "qrels.tsv"+end),
	}, args...)...)
}

// near reports whether a number of a report is what it should be.
func near(term *harness.Terminal, report map[string]any, want float64, path ...string) {
	term.Helper()
	var value any = report
	for _, name := range path {
		record, _ := value.(map[string]any)
		value = record[name]
	}
	if got, ok := value.(float64); !ok || math.Abs(got-want) > 1e-9 {
		term.Errorf("%v is %v, want %v", path, value, want)
	}
}

func TestEvalRetrieval(t *testing.T) {
	term := &harness.Terminal{T: t, Folder: t.TempDir()}
	ideal := 2 + 1/math.Log2(3) // the gain of the two documents of q3, best first
	third := (1 + 2/math.Log2(3)) / ideal
	for form, second := range map[string]float64{"conversation": 0, "rewrite": 1, "rewritten": 0} { // q2's document comes second or first
		t.Run("the measures of the query "+form+" are exact", func(t *testing.T) {
			term := &harness.Terminal{T: t, Folder: term.Folder}
			report := evaluated(term, "../testdata", "", "--query="+form, "--k=1,3")
			for name, value := range map[string]float64{"questions": 3, "documents": 5, "passages": 5} {
				near(term, report, value, name)
			}
			near(term, report, (1+second+1/2.0)/3, "recall", "1")
			near(term, report, 1, "recall", "3")
			near(term, report, (1+second+1)/3, "precision", "1")
			near(term, report, (1+1+2)/9.0, "precision", "3")
			near(term, report, (1+second+1/2.0)/3, "ndcg", "1") // the better document of q3 comes second
			near(term, report, (1+second+(1-second)/math.Log2(3)+third)/3, "ndcg", "3")
			near(term, report, (1+(1+second)/2+1)/3, "mrr")
		})
	}
	t.Run("the query last leaves out what came before", func(t *testing.T) {
		term := &harness.Terminal{T: t, Folder: term.Folder}
		report := evaluated(term, "../testdata", "", "--query=last", "--k=1")
		near(term, report, (1+0+1/2.0)/3, "recall", "1")
		if report["query"] != "last" {
			t.Errorf("the query is %v", report["query"])
		}
	})
	t.Run("gzipped files are read like others", func(t *testing.T) {
		term := &harness.Terminal{T: t, Folder: t.TempDir()}
		for _, name := range []string{"corpus.jsonl", "queries.jsonl", "qrels.tsv"} {
			content, err := os.ReadFile(filepath.Join("../testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			var packed bytes.Buffer
			w := gzip.NewWriter(&packed)
			if _, err := w.Write(content); err != nil || w.Close() != nil {
				t.Fatal("it cannot be packed")
			}
			term.File(name+".gz", packed.String())
		}
		report := evaluated(term, term.Folder, ".gz")
		near(term, report, 1, "recall", "5")
		near(term, report, 3, "questions")
	})
	t.Run("the run file has the rankings, best first, in the order of the questions", func(t *testing.T) {
		term := &harness.Terminal{T: t, Folder: t.TempDir()}
		path := filepath.Join(term.Folder, "run.tsv")
		evaluated(term, "../testdata", "", "--run="+path)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var questions, first []string
		last, question := math.Inf(1), ""
		for line := range strings.Lines(string(content)) {
			cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if len(cells) != 3 {
				t.Fatalf("a line is %q", line)
			}
			score, err := strconv.ParseFloat(cells[2], 64)
			if err != nil || cells[0] == question && score > last {
				t.Errorf("the score of %q: %v", line, err)
			}
			if cells[0] != question {
				questions, first = append(questions, cells[0]), append(first, cells[1])
			}
			last, question = score, cells[0]
		}
		if !slices.Equal(questions, []string{"q1", "q2", "q3", "q4", "q5"}) || !slices.Equal(first, []string{"d1", "d5", "d3", "d5", "d5"}) {
			t.Errorf("the best of %v are %v", questions, first)
		}
	})
	t.Run("a ranking has a hundred documents at most, each once", func(t *testing.T) {
		term := &harness.Terminal{T: t, Folder: t.TempDir()}
		var corpus strings.Builder
		for n := range 150 {
			fmt.Fprintf(&corpus, "{\"id\":\"d%d\",\"text\":\"Bread number %d.\"}\n", n, n)
		}
		path := filepath.Join(term.Folder, "run.tsv")
		term.OK("eval", "retrieval", "--corpus="+term.File("corpus.jsonl", corpus.String()), "--queries="+term.File("queries.jsonl", `{"id":"q","text":"bread"}`),
			"--qrels="+term.File("qrels.tsv", "q\td7\t1\n"), "--run="+path)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		documents := map[string]bool{}
		for line := range strings.Lines(string(content)) {
			documents[strings.Split(line, "\t")[1]] = true
		}
		if lines := strings.Count(string(content), "\n"); lines != 100 || len(documents) != 100 {
			t.Errorf("%d lines with %d documents", lines, len(documents))
		}
	})
	t.Run("without --json it is a table", func(t *testing.T) {
		term := &harness.Terminal{T: t, Folder: t.TempDir()}
		shown := term.OK("eval", "retrieval", "--corpus=../testdata/corpus.jsonl", "--queries=../testdata/queries.jsonl", "--qrels=../testdata/qrels.tsv", "--k=1")
		for _, part := range []string{"recall@1", "0.5000", "MRR", "queries/s", "index seconds"} {
			if !strings.Contains(shown, part) {
				t.Errorf("it lacks %s:\n%s", part, shown)
			}
		}
	})
}

func TestEvalRetrievalRefusesBadFiles(t *testing.T) {
	term := &harness.Terminal{T: t, Folder: t.TempDir()}
	names := map[string]string{"corpus": "corpus.jsonl", "queries": "queries.jsonl", "qrels": "qrels.tsv"}
	for _, bad := range []struct{ flag, content, says string }{
		{"corpus", `{"id":"a","text":"b"}` + "\n{", "bad, line 2: not a JSON object with an id."},
		{"corpus", `{"id":"a","text":"b"}` + "\n\n" + `{"text":"no id"}`, "bad, line 3: not a JSON object with an id."},
		{"corpus", `["a"]`, "bad, line 1: not a JSON object with an id."},
		{"queries", `{"id":"q","text":5}`, "bad, line 1: not a JSON object with an id."},
		{"qrels", "q1\td1\t1\nq1\td1\n", "bad, line 2: needs a question id, a document id and a grade."},
		{"qrels", "q1\td1\t1\nq1\td1\tgood\n", "bad, line 2: the grade is not a whole number."},
		{"corpus", "\x1f\x8bno gzip", "bad: "},
	} {
		t.Run(bad.flag+" with "+bad.says, func(t *testing.T) {
			term := &harness.Terminal{T: t, Folder: term.Folder}
			args := []string{"eval", "retrieval"}
			for flag, name := range names {
				if flag == bad.flag {
					args = append(args, "--"+flag+"="+term.File("bad", bad.content))
				} else {
					args = append(args, "--"+flag+"="+filepath.Join("../testdata", name))
				}
			}
			term.Fails(bad.says, args...)
		})
	}
	all := []string{"eval", "retrieval", "--corpus=../testdata/corpus.jsonl", "--queries=../testdata/queries.jsonl", "--qrels=../testdata/qrels.tsv"}
	t.Run("a missing file is named", func(t *testing.T) {
		(&harness.Terminal{T: t, Folder: term.Folder}).Fails("nothing.jsonl", append(slices.Clone(all), "--corpus=nothing.jsonl")...)
	})
	for _, k := range []string{"0", "101"} {
		t.Run("a depth of "+k+" is refused", func(t *testing.T) {
			(&harness.Terminal{T: t, Folder: term.Folder}).Fails("--k must be from 1 to 100", append(slices.Clone(all), "--k="+k)...)
		})
	}
	t.Run("measuring Weaviate takes a configured Weaviate", func(t *testing.T) {
		(&harness.Terminal{T: t, Folder: term.Folder}).Fails("WEAVIATE_URL", append(slices.Clone(all), "--index=weaviate")...)
	})
}

// The measures can be the same as equal scores are in the order of the corpus,
// and as the documents that are judged stand clear of others: cosines differ by
// about .001, for the embedded index keeps vectors in fewer bits.
func TestEvalRetrievalOnBothIndexes(t *testing.T) {
	server := weaviatetest.New(t)
	term := &harness.Terminal{T: t, Folder: t.TempDir()}
	var corpus, queries, judged strings.Builder
	for i, topic := range harness.Topics {
		for j, place := range []string{"the counter", "the web site", "the telephone"} {
			text := fmt.Sprintf("The rule for %s at %s. %s", topic, place, strings.Repeat("Ask "+place+" about "+topic+". ", 1+(i+j)%4))
			fmt.Fprintf(&corpus, `{"id":"d%d-%d","title":"Rules, %s","text":%q}`+"\n", i, j, place, text)
		}
		fmt.Fprintf(&queries, `{"id":"q%d","text":"Where do I ask about %s by telephone?"}`+"\n", i, topic)
		fmt.Fprintf(&judged, "q%d\td%d-2\t2\nq%d\td%d-0\t1\n", i, i, i, i)
	}
	term.File("corpus.jsonl", corpus.String())
	term.File("queries.jsonl", queries.String())
	term.File("qrels.tsv", judged.String())
	measures := func(args ...string) string {
		report := evaluated(term, term.Folder, "", args...)
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
