package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// evaluated runs eval retrieval with --json on files of a folder.
func (term *terminal) evaluated(folder, end string, args ...string) map[string]any {
	term.Helper()
	return term.record(append([]string{
		"retrieval", "--corpus=" + filepath.Join(folder, "corpus.jsonl"+end),
		"--queries=" + filepath.Join(folder, "queries.jsonl"+end), "--qrels=" + filepath.Join(folder, "qrels.tsv"+end),
	}, args...)...)
}

func TestEvalRetrieval(t *testing.T) {
	term := newTerminal(t)
	ideal := 2 + 1/math.Log2(3) // the gain of the two documents of q3, best first
	third := (1 + 2/math.Log2(3)) / ideal
	for form, second := range map[string]float64{"conversation": 0, "rewrite": 1, "rewritten": 0} { // q2's document comes second or first
		t.Run("the measures of the query "+form+" are exact", func(t *testing.T) {
			term := term.in(t)
			report := term.evaluated("testdata", "", "--query="+form, "--k=1,3")
			for name, value := range map[string]float64{"questions": 3, "documents": 5, "passages": 5} {
				term.near(report, value, name)
			}
			term.near(report, (1+second+1/2.0)/3, "recall", "1")
			term.near(report, 1, "recall", "3")
			term.near(report, (1+second+1)/3, "precision", "1")
			term.near(report, (1+1+2)/9.0, "precision", "3")
			term.near(report, (1+second+1/2.0)/3, "ndcg", "1") // the better document of q3 comes second
			term.near(report, (1+second+(1-second)/math.Log2(3)+third)/3, "ndcg", "3")
			term.near(report, (1+(1+second)/2+1)/3, "mrr")
		})
	}
	t.Run("the query last leaves out what came before", func(t *testing.T) {
		term := term.in(t)
		report := term.evaluated("testdata", "", "--query=last", "--k=1")
		term.near(report, (1+0+1/2.0)/3, "recall", "1")
		if report["query"] != "last" {
			t.Errorf("the query is %v", report["query"])
		}
	})
	t.Run("gzipped files are read like others", func(t *testing.T) {
		term := newTerminal(t)
		for _, name := range []string{"corpus.jsonl", "queries.jsonl", "qrels.tsv"} {
			content, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			var packed bytes.Buffer
			w := gzip.NewWriter(&packed)
			if _, err := w.Write(content); err != nil || w.Close() != nil {
				t.Fatal("it cannot be packed")
			}
			term.file(name+".gz", packed.String())
		}
		report := term.evaluated(term.folder, ".gz")
		term.near(report, 1, "recall", "5")
		term.near(report, 3, "questions")
	})
	t.Run("the run file has the rankings, best first, in the order of the questions", func(t *testing.T) {
		term := newTerminal(t)
		path := filepath.Join(term.folder, "run.tsv")
		term.evaluated("testdata", "", "--run="+path)
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
		term := newTerminal(t)
		var corpus strings.Builder
		for n := range 150 {
			fmt.Fprintf(&corpus, "{\"id\":\"d%d\",\"text\":\"Bread number %d.\"}\n", n, n)
		}
		path := filepath.Join(term.folder, "run.tsv")
		term.ok("retrieval", "--corpus="+term.file("corpus.jsonl", corpus.String()), "--queries="+term.file("queries.jsonl", `{"id":"q","text":"bread"}`),
			"--qrels="+term.file("qrels.tsv", "q\td7\t1\n"), "--run="+path)
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
		term := newTerminal(t)
		shown := term.ok("retrieval", "--corpus=testdata/corpus.jsonl", "--queries=testdata/queries.jsonl", "--qrels=testdata/qrels.tsv", "--k=1")
		for _, part := range []string{"recall@1", "0.5000", "MRR", "queries/s", "index seconds"} {
			if !strings.Contains(shown, part) {
				t.Errorf("it lacks %s:\n%s", part, shown)
			}
		}
	})
}

func TestEvalRetrievalRefusesBadFiles(t *testing.T) {
	term := newTerminal(t)
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
			term := term.in(t)
			args := []string{"retrieval"}
			for flag, name := range names {
				if flag == bad.flag {
					args = append(args, "--"+flag+"="+term.file("bad", bad.content))
				} else {
					args = append(args, "--"+flag+"="+filepath.Join("testdata", name))
				}
			}
			term.fails(bad.says, args...)
		})
	}
	all := []string{"retrieval", "--corpus=testdata/corpus.jsonl", "--queries=testdata/queries.jsonl", "--qrels=testdata/qrels.tsv"}
	t.Run("a missing file is named", func(t *testing.T) {
		term.in(t).fails("nothing.jsonl", append(slices.Clone(all), "--corpus=nothing.jsonl")...)
	})
	for _, k := range []string{"0", "101"} {
		t.Run("a depth of "+k+" is refused", func(t *testing.T) {
			term.in(t).fails("--k must be from 1 to 100", append(slices.Clone(all), "--k="+k)...)
		})
	}
	t.Run("measuring Weaviate takes a configured Weaviate", func(t *testing.T) {
		term.in(t).fails("WEAVIATE_URL", append(slices.Clone(all), "--index=weaviate")...)
	})
}

func TestEvalReadsTheProductsConfiguration(t *testing.T) {
	all := []string{"retrieval", "--corpus=testdata/corpus.jsonl", "--queries=testdata/queries.jsonl", "--qrels=testdata/qrels.tsv"}
	for name, says := range map[string]string{"ENCODE_PASSAGES": "ENCODE_PASSAGES must be on or off", "WORKERS": "WORKERS must be a number from 1 to 256"} {
		t.Run("a wrong "+name+" is named", func(t *testing.T) {
			t.Setenv(name, "perhaps")
			newTerminal(t).fails(says, all...)
		})
	}
	t.Run("a wrong command line ends with 2", func(t *testing.T) {
		if _, complaint, code := newTerminal(t).run("retrieval", "--nothing"); code != 2 || !strings.HasPrefix(complaint, "eval: ") {
			t.Errorf("it ends with %d and says %s", code, complaint)
		}
	})
}
