package retrieval

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"slices"
	"testing"

	"parley/text/encode"
)

// fixed are encodings that a test has made, and an encoder of questions.
type fixed struct {
	byID      map[int64]encode.Encoding
	err       error
	questions map[string][]float32
	failure   error
	asked     []int64
	encoded   []string
}

func (f *fixed) Encodings(_ context.Context, workspaceID, chatbotID string, ids []int64) (map[int64]encode.Encoding, error) {
	if workspaceID != "ws" || chatbotID != "cb" {
		return nil, errors.New("the scope is lost")
	}
	f.asked = ids
	return f.byID, f.err
}

func (f *fixed) EncodeQuestion(_ context.Context, workspaceID, text string) ([]float32, error) {
	f.encoded = append(f.encoded, text)
	if workspaceID != "ws" {
		return nil, errors.New("the workspace is lost")
	}
	return f.questions[text], f.failure
}

// stored has every passage.
type stored struct{ Passages }

func (stored) LivePassages(_ context.Context, _, _ string, ids []int64) ([]Passage, error) {
	passages := make([]Passage, len(ids))
	for i, id := range ids {
		passages[i].ID = id
	}
	return passages, nil
}

// ranked is what a search makes of hits when it has looked at their encodings.
func ranked(t *testing.T, s *Searcher, query Query, found Hits, hits []*Hit) []*Hit {
	t.Helper()
	scope := Scope{WorkspaceID: "ws", ChatbotID: "cb"}
	ask := func() ([]float32, error) { return s.encodedQuestion(t.Context(), scope.WorkspaceID, query) }
	return s.orderByEncodings(t.Context(), scope, query, ask, found, hits)
}

var east, north = []float32{1, 0}, []float32{0, 1}

func unitVector(v []float32) []float32 {
	square := 0.0
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	if square < 1e-6 {
		return append([]float32{1}, make([]float32, len(v)-1)...)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(square))
	}
	return v
}

func TestLookAtEncodings(t *testing.T) {
	scope, found := Scope{"ws", "cb"}, Hits{Near: make([]Hit, 1)}
	query := Query{Text: "which way?"}
	toEast := map[string][]float32{"which way?": east}
	hits := func() []*Hit {
		return pointers([]Hit{{PassageID: 1, Score: 1.3}, {PassageID: 2, Score: 1.2}, {PassageID: 3, Score: 0.2}})
	}
	searcher := func(f *fixed) *Searcher {
		s := NewSearcher(nil, nil, nil, slog.New(slog.DiscardHandler))
		s.EncodeWith(f, f)
		return s
	}
	for sentence, c := range map[string]struct {
		fixed
		want []int64
	}{
		"a nearer passage comes forward":              {fixed{questions: toEast, byID: map[int64]encode.Encoding{1: encode.New([]float32{0.8, 0.6}), 2: encode.New(east)}}, []int64{2, 1, 3}},
		"a little nearer does not outdo the rest":     {fixed{questions: toEast, byID: map[int64]encode.Encoding{1: encode.New([]float32{0.98, 0.2}), 3: encode.New(east)}}, []int64{1, 2, 3}},
		"one alone is as near as the mean one":        {fixed{questions: toEast, byID: map[int64]encode.Encoding{3: encode.New(east)}}, []int64{1, 2, 3}},
		"without encodings the order stays":           {fixed{questions: toEast}, []int64{1, 2, 3}},
		"if they cannot be read the order stays":      {fixed{questions: toEast, err: errors.New("no database"), byID: map[int64]encode.Encoding{1: encode.New(north), 2: encode.New(east)}}, []int64{1, 2, 3}},
		"if the question fails the order stays":       {fixed{failure: errors.New("no model"), byID: map[int64]encode.Encoding{1: encode.New(north), 2: encode.New(east)}}, []int64{1, 2, 3}},
		"a question without a vector changes nothing": {fixed{byID: map[int64]encode.Encoding{1: encode.New(north), 2: encode.New(east)}}, []int64{1, 2, 3}},
	} {
		t.Run(sentence, func(t *testing.T) {
			list := hits()
			ranked(t, searcher(&c.fixed), query, found, list)
			if got := order(list); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	t.Run("only the best are looked at, and the others stay behind them", func(t *testing.T) {
		var many []Hit
		for i := range 2 * encoded {
			many = append(many, Hit{PassageID: int64(i + 1), Score: 1})
		}
		f := &fixed{questions: toEast}
		ranked(t, searcher(f), query, found, pointers(many))
		if len(f.asked) != encoded || f.asked[0] != 1 {
			t.Errorf("%v were asked for", f.asked)
		}
	})
	t.Run("a question is not encoded where no passage is", func(t *testing.T) {
		f := &fixed{questions: toEast, byID: map[int64]encode.Encoding{1: encode.New(nil)}}
		ranked(t, searcher(f), query, found, hits())
		if len(f.encoded) != 0 {
			t.Errorf("%q were encoded", f.encoded)
		}
	})
	t.Run("an encoding counts instead of the vector", func(t *testing.T) {
		f := &fixed{questions: toEast, byID: map[int64]encode.Encoding{1: encode.New(east), 2: encode.New(east)}}
		list := pointers([]Hit{{PassageID: 1, Score: 1.4, Similarity: 0.9}, {PassageID: 2, Score: 1.3, Similarity: 0.1}, {PassageID: 3, Score: 1, Similarity: 0.9}})
		ranked(t, searcher(f), query, found, list)
		if got := order(list); !slices.Equal(got, []int64{2, 3, 1}) {
			t.Errorf("got %v", got)
		}
		if list[0].Score != 1.4 || list[1].Score != 1.3 || list[2].Score != 1 {
			t.Errorf("the scores are %v, %v and %v", list[0].Score, list[1].Score, list[2].Score)
		}
	})
	t.Run("without vectors in the index it counts as a share of the best score by words", func(t *testing.T) {
		f := &fixed{questions: toEast, byID: map[int64]encode.Encoding{1: encode.New([]float32{0.9, 0.436}), 2: encode.New(east)}}
		for second, want := range map[float64]int64{25: 2, 15: 1} { // of 30, the encodings add some 10
			list := pointers([]Hit{{PassageID: 1, Score: 30}, {PassageID: 2, Score: second}})
			if ranked(t, searcher(f), query, Hits{}, list); list[0].PassageID != want {
				t.Errorf("beside %v, the first is %d", second, list[0].PassageID)
			}
		}
	})
	t.Run("a hit tells how close its encoding is, and so does the passage that is found", func(t *testing.T) {
		f := &fixed{questions: toEast, byID: map[int64]encode.Encoding{1: encode.New([]float32{0.6, 0.8}), 3: encode.New(east)}}
		list, s := hits(), searcher(f)
		ranked(t, s, query, found, list)
		s.passages = stored{}
		passages, err := s.passagesOf(t.Context(), scope, list)
		if err != nil || len(passages) != 3 {
			t.Fatalf("got %v, %v", passages, err)
		}
		want := map[int64]float64{1: 0.6, 2: 0, 3: 1}
		for _, p := range passages {
			if math.Abs(p.Closeness-want[p.ID]) > 0.01 {
				t.Errorf("passage %d has %v", p.ID, p.Closeness)
			}
		}
	})
	t.Run("the first hits, and no others, tell how close their parts are", func(t *testing.T) {
		parted := encode.New(east).WithPart(encode.Part{Start: 0, End: 9}, north)
		f := &fixed{questions: toEast, byID: map[int64]encode.Encoding{1: parted, 2: parted, 3: parted}}
		list, s := hits(), searcher(f)
		ranked(t, s, Query{Text: "which way?", Limit: 2}, found, list)
		s.passages = stored{}
		if passages, err := s.passagesOf(t.Context(), scope, list); err != nil || len(passages[0].Parts) != 1 || len(passages[1].Parts) != 1 || passages[2].Parts != nil {
			t.Errorf("got %+v, %v", passages, err)
		}
	})
	t.Run("parts stay where they are in the text when a neighbor is joined before it", func(t *testing.T) {
		r := Result{Passage: Passage{Text: "second"}, Parts: []encode.Part{{Start: 0, End: 6}}}
		r.join(Passage{Text: "first"}, -1)
		r.join(Passage{Text: "third"}, 1)
		if p := r.Parts[0]; r.Text[p.Start:p.End] != "second" {
			t.Errorf("it is %+v of %q", p, r.Text)
		}
	})
	t.Run("earlier questions lend their direction, the latest most", func(t *testing.T) {
		s := searcher(&fixed{questions: map[string][]float32{"now": {1, 0, 0}, "before": {0, 1, 0}, "long before": {0, 0, 1}}})
		vector, err := s.encodedQuestion(t.Context(), "ws", Query{Text: "now", Context: []string{"long before", "before", ""}})
		if err != nil || !(vector[0] > vector[1] && vector[1] > vector[2] && vector[2] > 0) {
			t.Errorf("got %v, %v", vector, err)
		}
	})
}
