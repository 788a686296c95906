package retrieval

import (
	"log/slog"
	"slices"
	"testing"

	"parley/text/encode"
)

func TestClosest(t *testing.T) {
	query := Query{Text: "which way?", Limit: 10}
	east, near, far := []float32{1, 0}, []float32{0.8, 0.6}, []float32{0.5, 0.866}
	f := &fixed{questions: map[string][]float32{"which way?": east}, byID: map[int64]encode.Encoding{
		1: encode.New(far), 2: encode.New(near), 3: encode.New(far),
		4: encode.New(far).WithPart(encode.Part{Start: 0, End: 9}, east), 5: encode.New(nil),
	}}
	s := NewSearcher(nil, nil, nil, slog.New(slog.DiscardHandler))
	s.EncodeWith(f, f)
	byVectors := func() (found Hits) {
		for id := int64(1); id <= 6; id++ {
			found.Near = append(found.Near, Hit{PassageID: id, Score: 0.1})
		}
		return found
	}
	t.Run("where words find little, passages are found that are close to the question, as a whole or with a part", func(t *testing.T) {
		hits := ranked(t, s, query, byVectors(), pointers([]Hit{{PassageID: 1, Score: 1}}))
		if got := passageIDs(hits); !slices.Equal(got, []int64{1, 4, 2}) {
			t.Errorf("got %v", got)
		}
		if last := hits[2]; last.Score != 0 || last.Similarity != 0.1 || last.Closeness < closeEnough || last.Compared != 6 {
			t.Errorf("got %+v", last)
		}
		if len(hits[1].Parts) != 1 {
			t.Errorf("the parts are %v", hits[1].Parts)
		}
	})
	t.Run("where they find nothing, too", func(t *testing.T) {
		if got := passageIDs(ranked(t, s, query, byVectors(), nil)); !slices.Equal(got, []int64{4, 2}) {
			t.Errorf("got %v", got)
		}
	})
	t.Run("a question in a language that the encoder does not read finds none", func(t *testing.T) {
		if got := ranked(t, s, Query{Text: "wohin?", Limit: 10}, byVectors(), nil); len(got) != 0 {
			t.Errorf("got %v", passageIDs(got))
		}
	})
	t.Run("no more are added than are few", func(t *testing.T) {
		var some []Hit
		for id := int64(11); id < 11+few-1; id++ {
			some = append(some, Hit{PassageID: id, Score: 1})
		}
		if got := passageIDs(ranked(t, s, query, byVectors(), pointers(some))); len(got) != few || got[few-1] != 4 {
			t.Errorf("got %v", got)
		}
		some = append(some, Hit{PassageID: 99, Score: 1})
		if ranked(t, s, query, byVectors(), pointers(some)); len(f.asked) != few {
			t.Errorf("%v were asked for", f.asked)
		}
	})
}
