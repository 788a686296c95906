package retrieval

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// fixed are expansions that a test has made.
type fixed struct {
	byID  map[int64]Expansion
	asked []int64
	err   error
}

func (f *fixed) Expansions(_ context.Context, workspaceID, chatbotID string, ids []int64) (map[int64]Expansion, error) {
	if workspaceID != "ws" || chatbotID != "cb" {
		return nil, errors.New("the scope is lost")
	}
	f.asked = ids
	return f.byID, f.err
}

func about(terms ...string) Expansion {
	var list []ExpansionTerm
	for _, term := range terms {
		list = append(list, ExpansionTerm{term, 2})
	}
	return NewExpansion(list)
}

func TestExpansion(t *testing.T) {
	t.Run("a term has the weight that it was given, in steps of a 64th, and others none", func(t *testing.T) {
		e := NewExpansion([]ExpansionTerm{{"refund", 1.5}, {"money", 0.25}, {"faint", 0.001}, {"loud", 100}})
		for term, want := range map[string]float64{"refund": 1.5, "money": 0.25, "faint": 0, "loud": 255.0 / 64, "other": 0} {
			if got := e.weight(hashOf(term)); got != want {
				t.Errorf("%s weighs %v, want %v", term, got, want)
			}
		}
	})
	t.Run("all terms are found, however many", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			var terms []ExpansionTerm
			for _, text := range rapid.SliceOfDistinct(rapid.String(), rapid.ID[string]).Draw(t, "terms") {
				terms = append(terms, ExpansionTerm{text, 1})
			}
			e := NewExpansion(terms)
			for _, term := range terms {
				if e.weight(hashOf(term.Text)) != 1 {
					t.Fatalf("%q is lost", term.Text)
				}
			}
		})
	})
	t.Run("what was not made here weighs nothing, and breaks nothing", func(t *testing.T) {
		for _, e := range []Expansion{nil, {}, {1}, {9, 0, 0, 0, 0, 7}, {1, 0, 0}} {
			if got := e.weight(0); got != 0 {
				t.Errorf("%v weighs %v", e, got)
			}
		}
	})
}

func TestLookAtExpansions(t *testing.T) {
	scope, found := Scope{"ws", "cb"}, Hits{IDF: []float64{4, 4}, Near: make([]Hit, 1)}
	hits := func() []*Hit {
		return pointers([]Hit{{PassageID: 1, Score: 1.3}, {PassageID: 2, Score: 1.2}, {PassageID: 3, Score: 0.2}})
	}
	for sentence, c := range map[string]struct {
		expansions *fixed
		want       []int64
	}{
		"what a passage is about brings it forward": {&fixed{byID: map[int64]Expansion{2: about("apple", "pear")}}, []int64{2, 1, 3}},
		"it counts as a share of the most":          {&fixed{byID: map[int64]Expansion{1: about("apple"), 2: about("apple", "pear")}}, []int64{2, 1, 3}},
		"alone it does not outdo the rest":          {&fixed{byID: map[int64]Expansion{3: about("apple", "pear")}}, []int64{1, 2, 3}},
		"other words count nothing":                 {&fixed{byID: map[int64]Expansion{3: about("plum")}}, []int64{1, 2, 3}},
		"without expansions the order stays":        {&fixed{}, []int64{1, 2, 3}},
		"if they cannot be read the order stays":    {&fixed{err: errors.New("no database"), byID: map[int64]Expansion{2: about("apple")}}, []int64{1, 2, 3}},
	} {
		t.Run(sentence, func(t *testing.T) {
			s := NewSearcher(nil, nil, nil, slog.New(slog.DiscardHandler))
			s.ExpandWith(c.expansions)
			list := hits()
			s.lookAtExpansions(t.Context(), scope, two, found, list)
			if got := order(list); !slices.Equal(got, c.want) || list[0].PassageID != c.want[0] {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	t.Run("only the best are looked at", func(t *testing.T) {
		var many []Hit
		for i := range 2 * expanded {
			many = append(many, Hit{PassageID: int64(i + 1), Score: 1})
		}
		f := &fixed{}
		s := NewSearcher(nil, nil, nil, slog.New(slog.DiscardHandler))
		s.ExpandWith(f)
		s.lookAtExpansions(t.Context(), scope, two, found, pointers(many))
		if len(f.asked) != expanded || f.asked[0] != 1 {
			t.Errorf("%v were asked for", f.asked)
		}
	})
	t.Run("without vectors it counts as a share of the best score by words", func(t *testing.T) {
		s := NewSearcher(nil, nil, nil, slog.New(slog.DiscardHandler))
		s.ExpandWith(&fixed{byID: map[int64]Expansion{2: about("apple")}})
		list := pointers([]Hit{{PassageID: 1, Score: 30}, {PassageID: 2, Score: 20}})
		s.lookAtExpansions(t.Context(), scope, two, Hits{IDF: []float64{4, 4}}, list)
		if list[0].PassageID != 2 || list[0].Score != 35 {
			t.Errorf("first is %+v", list[0])
		}
	})
	t.Run("a rare word counts more than a common one", func(t *testing.T) {
		s := NewSearcher(nil, nil, nil, slog.New(slog.DiscardHandler))
		f := &fixed{byID: map[int64]Expansion{1: about("apple"), 2: about("pear")}}
		s.ExpandWith(f)
		list := pointers([]Hit{{PassageID: 1, Score: 1}, {PassageID: 2, Score: 1}})
		s.lookAtExpansions(t.Context(), scope, two, Hits{IDF: []float64{1, 9}}, list)
		if list[0].PassageID != 2 {
			t.Errorf("passage %d is first", list[0].PassageID)
		}
	})
}
