package measure

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/core/fault"
	"parley/core/knowledge/trial"
	"parley/lab/evaluation"
)

// ofScores is a ranking of the documents a, b, c and so on.
func ofScores(scores ...float64) []trial.Ranked {
	ranking := make([]trial.Ranked, len(scores))
	for i, score := range scores {
		ranking[i] = trial.Ranked{DocumentID: string(rune('a' + i)), Score: score}
	}
	return ranking
}

func TestRerank(t *testing.T) {
	near, far := ofScores(2, 1.99, 1.98, 1.97, 1.96, 1.95, 1.94), ofScores(2, 1.9, 1.8, 1.7, 1.6, 1.5, 1.4)
	judged := map[string]evaluation.Judgments{"q": {"g": 1, "c": 2, "a": 0}}
	// reordered is the ranking of one question after it was put in another order.
	reordered := func(t *testing.T, r Rerank, ranking []trial.Ranked) string {
		t.Helper()
		rankings := map[string][]trial.Ranked{"q": ranking}
		documents := documentsOf(rankings)
		n, err := r.apply(rankings, documents, judged)
		must(t, err)
		if changed := !slices.Equal(documents["q"], documentsOf(rankings)["q"]); changed != (n == 1) {
			t.Errorf("%d questions were counted", n)
		}
		return strings.Join(documents["q"], "")
	}
	written := func(t *testing.T, content string) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), "rankings.tsv")
		must(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}

	t.Run("nothing is the order that it is", func(t *testing.T) {
		if got := reordered(t, Rerank{}, near); got != "abcdefg" {
			t.Errorf("it is %s", got)
		}
	})
	t.Run("the best order has what is judged first, by its grade", func(t *testing.T) {
		if got := reordered(t, Rerank{Best: true}, far); got != "cgabdef" {
			t.Errorf("it is %s", got)
		}
	})
	t.Run("five and fewer are not put in order, as a chatbot's would not be", func(t *testing.T) {
		if got := reordered(t, Rerank{Best: true}, far[:5]); got != "abcde" {
			t.Errorf("it is %s", got)
		}
	})
	t.Run("what comes behind the twentieth stays there", func(t *testing.T) {
		ranking := ofScores(slices.Repeat([]float64{1}, 22)...)
		ranking[2].DocumentID, ranking[20].DocumentID = ranking[20].DocumentID, ranking[2].DocumentID // c is the 21st
		if got := reordered(t, Rerank{Best: true}, ranking); got != "gabudefhijklmnopqrstcv" {
			t.Errorf("it is %s", got)
		}
	})
	t.Run("another ranking decides, and what it lacks comes behind in its order", func(t *testing.T) {
		path := written(t, "question\tdocument\tscore\nq\tf\t3.5\nq\tb\t-1\nq\tz\t9\nother\ta\t1\n")
		if got := reordered(t, Rerank{Rankings: path}, near); got != "fbacdeg" {
			t.Errorf("it is %s", got)
		}
	})
	t.Run("in doubt, only where the scores are close", func(t *testing.T) {
		if got := reordered(t, Rerank{Best: true, InDoubt: true}, far); got != "abcdefg" {
			t.Errorf("it is %s", got)
		}
		if got := reordered(t, Rerank{Best: true, InDoubt: true}, near); got != "cgabdef" {
			t.Errorf("it is %s", got)
		}
	})
	for content, says := range map[string]string{
		"q\ta\n":            "rankings.tsv, line 1: needs a question id, a document id and a score.",
		"q\ta\t1\nq\tb\tx":  "rankings.tsv, line 2: the score is not a number.",
		"q a 1\nq b 1 more": "line 2: needs",
	} {
		t.Run(says+" is said of a file that is wrong", func(t *testing.T) {
			_, err := Rerank{Rankings: written(t, content)}.apply(nil, nil, nil)
			if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), says) {
				t.Errorf("got %v", err)
			}
		})
	}
}
