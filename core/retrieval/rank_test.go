package retrieval

import (
	"context"
	"log/slog"
	"slices"
	"testing"
)

// two terms of equal weight in the ranking.
var two = []Term{{"apple", 20}, {"pear", 20}}

func at(places ...int32) []Occurrence {
	list := make([]Occurrence, len(places))
	for i, place := range places {
		list[i] = Occurrence{Term: int32(i % 2), At: place}
	}
	return list
}

func order(hits []*Hit) []int64 {
	var ids []int64
	for _, hit := range slices.SortedFunc(slices.Values(hits), byScore) {
		ids = append(ids, hit.PassageID)
	}
	return ids
}

func TestLookAgain(t *testing.T) {
	idf := []float64{2, 2}
	for sentence, c := range map[string]struct {
		lexical []Hit
		want    []int64
	}{
		"words near the beginning go first": {
			[]Hit{{PassageID: 1, Score: 20, Occurrences: at(50, 80)}, {PassageID: 2, Score: 20, Occurrences: at(0, 30)}}, []int64{2, 1},
		},
		"words near one another go first": {
			[]Hit{{PassageID: 1, Score: 20, Occurrences: at(100, 130)}, {PassageID: 2, Score: 20, Occurrences: at(100, 101)}}, []int64{2, 1},
		},
		"the same word twice is not near itself": {
			[]Hit{
				{PassageID: 1, Score: 20, Occurrences: []Occurrence{{0, 100}, {0, 101}}},
				{PassageID: 2, Score: 20.001, Occurrences: []Occurrence{{0, 100}, {0, 140}}},
			}, []int64{2, 1},
		},
		"a much better score by words stays ahead": {
			[]Hit{{PassageID: 1, Score: 200, Occurrences: at(50, 80)}, {PassageID: 2, Score: 20, Occurrences: at(0, 1)}}, []int64{1, 2},
		},
		"equal passages are in the order of their IDs": {
			[]Hit{{PassageID: 2, Score: 20, Occurrences: at(1, 2)}, {PassageID: 1, Score: 20, Occurrences: at(1, 2)}}, []int64{1, 2},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			got := Chosen.rescore(two, Hits{Lexical: c.lexical, IDF: idf})
			if !slices.Equal(order(got), c.want) {
				t.Errorf("got %v, want %v", order(got), c.want)
			}
		})
	}
	t.Run("the sums of one passage do not leak into the next", func(t *testing.T) {
		hits := []Hit{{PassageID: 1, Score: 20, Occurrences: at(100, 101)}, {PassageID: 2, Score: 20, Occurrences: at(100, 130)}}
		alone := Chosen.rescore(two, Hits{Lexical: slices.Clone(hits[1:]), IDF: idf})[0].Score
		if both := Chosen.rescore(two, Hits{Lexical: hits, IDF: idf}); both[1].Score != alone {
			t.Errorf("%v beside another, %v alone", both[1].Score, alone)
		}
	})
}

func TestFuse(t *testing.T) {
	words := func() []*Hit {
		return pointers([]Hit{{PassageID: 1, Score: 10, Similarity: 0.05}, {PassageID: 2, Score: 9, Similarity: 0.8}})
	}
	near := func() []Hit { return []Hit{{PassageID: 3, Score: 0.9}, {PassageID: 2, Score: 0.8}} }
	t.Run("meaning lifts what words found too", func(t *testing.T) {
		if got := order(fuse(words(), near(), 0.3, Chosen.nearnessOf(near(), true))); !slices.Equal(got, []int64{2, 3, 1}) {
			t.Errorf("got %v", got)
		}
	})
	t.Run("meaning alone brings passages", func(t *testing.T) {
		if got := order(fuse(nil, near(), 0.3, Chosen.nearnessOf(near(), true))); !slices.Equal(got, []int64{3, 2}) {
			t.Errorf("got %v", got)
		}
	})
	t.Run("a passage that is not near and has none of the words is left out", func(t *testing.T) {
		if got := order(fuse(words(), near(), 0.85, Chosen.nearnessOf(near(), true))); !slices.Equal(got, []int64{2, 3, 1}) {
			t.Errorf("got %v", got)
		}
		if got := order(fuse(nil, near(), 0.85, Chosen.nearnessOf(near(), true))); !slices.Equal(got, []int64{3}) {
			t.Errorf("got %v", got)
		}
	})
	t.Run("where all cosines are high, the nearest are still distinguished", func(t *testing.T) {
		nearness := Chosen.nearnessOf([]Hit{{Score: 0.82}, {Score: 0.81}, {Score: 0.80}}, false)
		if best, middle, last := nearness(0.82), nearness(0.81), nearness(0.80); best != stretchedWeight || last != 0 || middle <= last || middle >= best {
			t.Errorf("got %v, %v, %v", best, middle, last)
		}
	})
	t.Run("equal cosines count alike", func(t *testing.T) {
		if got := Chosen.nearnessOf([]Hit{{Score: 0.5}, {Score: 0.5}}, false)(0.5); got != stretchedWeight {
			t.Errorf("got %v", got)
		}
	})
}

// questioned is an index that remembers what it was asked for.
type questioned struct {
	Index
	terms []Term
}

func (a *questioned) Search(_ context.Context, _ Scope, query IndexQuery) (Hits, error) {
	a.terms = query.Terms
	return Hits{}, nil
}

func TestRankReadsQuestionsAsDocuments(t *testing.T) {
	for typed, usual := range map[string]string{
		"\u2f0a\u2f1dはどこですか":             "入口はどこですか",
		"o\ufb03ce hours":                "office hours",
		"\ufee3\ufeae\ufea3\ufe92\ufe8e": "مرحبا",
	} {
		t.Run("a question in signs finds what "+usual+" finds", func(t *testing.T) {
			var found [2][]Term
			for i, question := range []string{typed, usual} {
				index := &questioned{}
				if _, err := NewSearcher(index, nil, nil, slog.New(slog.DiscardHandler)).Rank(t.Context(), Scope{"ws", "cb"}, Query{Text: question}); err != nil {
					t.Fatal(err)
				}
				found[i] = index.terms
			}
			if !slices.Equal(found[0], found[1]) || len(found[0]) == 0 {
				t.Errorf("got %v, want %v", found[0], found[1])
			}
		})
	}
}
