package main

import (
	"fmt"
	"strings"
	"testing"
)

// grounded runs eval grounding with --json on a small set of its own:
// three questions with reference answers, and one without.
func (term *terminal) grounded(args ...string) []map[string]any {
	term.Helper()
	corpus := term.file("corpus.jsonl", `
{"id":"brakes","title":"Brakes","text":"The brakes squeak when the rims are wet. Dry them with a cloth for 5 minutes."}
{"id":"saddle","title":"Saddle","text":"A leather saddle is greased in spring, and covered when it rains."}
{"id":"tyre","title":"Tyre","text":"A tyre is changed when its profile is worn: after 3000 kilometres."}
{"id":"bell","title":"Bell","text":"A bell is loud enough when people turn their heads."}
`)
	queries := term.file("queries.jsonl", `
{"id":"1","text":"Why do brakes squeak?","target":"Brakes squeak if rims are wet. Dry them for 5 minutes."}
{"id":"2","text":"How do I care for a leather saddle?","target":"Grease the leather saddle each spring. Bring it flowers and chocolate, too."}
{"id":"3","text":"When is a tyre changed?","target":"Change a tyre after 3000 kilometres."}
{"id":"4","text":"When is a bell loud?"}
{"id":"5","text":"Whose car is it?","target":"Nobody knows."}
`)
	qrels := term.file("qrels.tsv", "1\tbrakes\t1\n2\tsaddle\t1\n3\ttyre\t1\n4\tbell\t1\n5\tbell\t0\n5\tcar\t1\n")
	return term.records(append([]string{"grounding", "--corpus=" + corpus, "--queries=" + queries, "--qrels=" + qrels}, args...)...)
}

func TestEvalGrounding(t *testing.T) {
	t.Run("each figure counts what it says", func(t *testing.T) {
		term := newTerminal(t)
		reports := term.grounded()
		if len(reports) != 1 {
			t.Fatalf("%d reports", len(reports))
		}
		for _, c := range []struct{ part, figure, want string }{
			{"chosen_on", "questions", "3"}, // the fourth has no reference answer, the fifth no relevant passage
			{"held_out", "questions", "1"},
			{"chosen_on", "passed_relevant", "[3 3]"},
			{"chosen_on", "kept_relevant", "[4 5]"}, // no flowers for a saddle
			{"chosen_on", "others_replaced", "[3 3]"},
			{"chosen_on", "intruders_kept", "[0 4]"},
			{"chosen_on", "changed_numbers_caught", "[1 1]"},
			{"held_out", "changed_numbers_caught", "[1 1]"},
			{"held_out", "passed_found", "[1 1]"},
			{"held_out", "kept_found", "[1 1]"},
			{"chosen_on", "extractive_unchanged", "[3 3]"},
		} {
			part, _ := reports[0][c.part].(map[string]any)
			if got := fmt.Sprint(part[c.figure]); got != c.want {
				t.Errorf("%s of %s is %s, want %s", c.figure, c.part, got, c.want)
			}
		}
	})
	t.Run("thresholds are measured one after the other", func(t *testing.T) {
		term := newTerminal(t)
		reports := term.grounded("--threshold=0.2,1")
		if len(reports) != 2 || reports[0]["threshold"] != 0.2 || reports[1]["threshold"] != 1.0 {
			t.Fatalf("got %v", reports)
		}
		strict, _ := reports[1]["held_out"].(map[string]any)
		if got := fmt.Sprint(strict["passed_relevant"]); got != "[1 1]" {
			t.Errorf("at 1 %s answers pass whose words are all in the passage", got)
		}
	})
	t.Run("without --json it is a table", func(t *testing.T) {
		term := newTerminal(t)
		term.grounded()
		shown := term.ok("grounding", "--corpus="+term.folder+"/corpus.jsonl", "--queries="+term.folder+"/queries.jsonl", "--qrels="+term.folder+"/qrels.tsv")
		for _, part := range []string{"held out", "1.000 (3 of 3)", "changed numbers caught"} {
			if !strings.Contains(shown, part) {
				t.Errorf("it lacks %q:\n%s", part, shown)
			}
		}
	})
	t.Run("a threshold that is not from 0 to 1 is refused", func(t *testing.T) {
		term := newTerminal(t)
		term.fails("--threshold must be from 0 to 1", "grounding", "--corpus=testdata/corpus.jsonl", "--queries=testdata/queries.jsonl", "--qrels=testdata/qrels.tsv", "--threshold=2")
	})
	t.Run("files without a relevant passage are refused", func(t *testing.T) {
		term := newTerminal(t)
		term.fails("at least two questions", "grounding", "--corpus=testdata/corpus.jsonl", "--queries=testdata/queries.jsonl", "--qrels="+term.file("none.tsv", "q1\td9\t1\n"))
	})
}
