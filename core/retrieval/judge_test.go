package retrieval

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
)

func TestClose(t *testing.T) {
	falling := func(n int, last float64) []float64 {
		scores := make([]float64, n)
		for i := range scores {
			scores[i] = 2 - (2-2*last)*float64(i)/9 // the tenth has this share of the first
		}
		return scores
	}
	for _, c := range []struct {
		is     string
		scores []float64
		want   bool
	}{
		{"ten alike are", slices.Repeat([]float64{1.5}, 10), true},
		{"a tenth at nine tenths of the best is", falling(20, 0.9), true},
		{"one at eight tenths is not", falling(20, 0.8), false},
		{"what comes behind the tenth does not matter", append(slices.Repeat([]float64{1.5}, 10), 0.1, 0.1), true},
		{"of six the last counts", []float64{1, 1, 1, 1, 1, 0.9}, true},
		{"of six one that is far off decides", []float64{1, 1, 1, 1, 1, 0.1}, false},
		{"five are not, however alike", slices.Repeat([]float64{1}, 5), false},
		{"none are not", nil, false},
		{"scores of zero are not", make([]float64, 10), false},
	} {
		t.Run(c.is, func(t *testing.T) {
			if got := Close(c.scores, 5); got != c.want {
				t.Errorf("it is %v", got)
			}
		})
	}
}

// listed is an index that finds the passages 1 to n, each a little worse, and a database
// that lacks some of them.
type listed struct {
	Index
	n    int64
	gone []int64
	// read are the passages that were looked up.
	read *[]int64
}

func (l listed) Search(context.Context, Scope, IndexQuery) (Hits, error) {
	hits := Hits{IDF: []float64{1}}
	for id := range l.n {
		hits.Lexical = append(hits.Lexical, Hit{PassageID: id + 1, Score: 20 - float64(id)/100})
	}
	return hits, nil
}

func (l listed) LivePassages(_ context.Context, _, _ string, ids []int64) ([]Passage, error) {
	*l.read = append(*l.read, ids...)
	var found []Passage
	for _, id := range ids {
		if !slices.Contains(l.gone, id) {
			// Their texts are long, so that none is widened.
			found = append(found, Passage{ID: id, DocumentID: fmt.Sprint("doc_", id), Text: string(make([]byte, shortText))})
		}
	}
	return found, nil
}

func (listed) LivePassagesAt(context.Context, string, string, []Position) ([]Passage, error) {
	return nil, errors.New("no passage has a neighbor")
}

// reversing judges that the last is the best.
type reversing struct {
	wants bool
	// scores and judged are what it was given.
	scores *[]float64
	judged *int
}

func (r reversing) Wants(scores []float64, _ int) bool {
	*r.scores = scores
	return r.wants
}

func (r reversing) Order(_ context.Context, found []Result) []Result {
	*r.judged = len(found)
	found = slices.Clone(found)
	slices.Reverse(found)
	return found
}

func TestJudge(t *testing.T) {
	search := func(t *testing.T, l listed, judge Judge, limit int) []int64 {
		t.Helper()
		l.read = new([]int64)
		found, err := NewSearcher(l, l, nil, slog.New(slog.DiscardHandler)).Search(t.Context(), Scope{}, Query{Text: "bread", Limit: limit, Judge: judge})
		if err != nil {
			t.Fatal(err)
		}
		if judge == nil && len(*l.read) > limit {
			t.Errorf("%d passages were looked up", len(*l.read))
		}
		var ids []int64
		for _, f := range found {
			ids = append(ids, f.ID)
		}
		return ids
	}
	judge := func(wants bool) reversing { return reversing{wants, new([]float64), new(int)} }

	t.Run("without a judge the search decides, and looks nothing more up", func(t *testing.T) {
		if got := search(t, listed{n: 30}, nil, 5); !slices.Equal(got, []int64{1, 2, 3, 4, 5}) {
			t.Errorf("found are %v", got)
		}
	})
	t.Run("without a judge nothing is allocated for one", func(t *testing.T) {
		hits, query := make([]*Hit, 30), Query{Limit: 5}
		if n := testing.AllocsPerRun(10, func() { query.judged(hits) }); n != 0 {
			t.Errorf("there are %v allocations", n)
		}
	})
	t.Run("a judge decides which of the best twenty are the first", func(t *testing.T) {
		judge := judge(true)
		if got := search(t, listed{n: 30}, judge, 5); !slices.Equal(got, []int64{20, 19, 18, 17, 16}) || *judge.judged != 20 || len(*judge.scores) != 20 {
			t.Errorf("found are %v of %d", got, *judge.judged)
		}
	})
	t.Run("one that does not want to is given nothing", func(t *testing.T) {
		judge := judge(false)
		if got := search(t, listed{n: 30}, judge, 5); !slices.Equal(got, []int64{1, 2, 3, 4, 5}) || *judge.judged != 0 {
			t.Errorf("found are %v of %d", got, *judge.judged)
		}
	})
	t.Run("it is not asked where all that is found is wanted", func(t *testing.T) {
		judge := judge(true)
		if got := search(t, listed{n: 5}, judge, 5); len(got) != 5 || *judge.scores != nil {
			t.Errorf("found are %v", got)
		}
	})
	t.Run("it is given no passage that is gone, and then the next ones", func(t *testing.T) {
		judge := judge(true)
		if got := search(t, listed{n: 30, gone: []int64{20, 3}}, judge, 5); !slices.Equal(got, []int64{22, 21, 19, 18, 17}) || *judge.judged != 20 {
			t.Errorf("found are %v of %d", got, *judge.judged)
		}
	})
	t.Run("nor where too few are left", func(t *testing.T) {
		judge := judge(true)
		if got := search(t, listed{n: 6, gone: []int64{1}}, judge, 5); !slices.Equal(got, []int64{2, 3, 4, 5, 6}) || *judge.judged != 0 {
			t.Errorf("found are %v of %d", got, *judge.judged)
		}
	})
	t.Run("a limit beyond twenty is kept", func(t *testing.T) {
		judge := judge(true)
		if got := search(t, listed{n: 30}, judge, 25); len(got) != 25 {
			t.Errorf("found are %v", got)
		}
	})
}
