package retrieval

import (
	"log/slog"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/text/encode"
)

func TestOrder(t *testing.T) {
	s := NewSearcher(nil, nil, nil, slog.New(slog.DiscardHandler))
	ordered := func(hits []Hit, question []float32, encodings map[int64]encode.Encoding) []int64 {
		list := pointers(hits)
		s.order(list, question, encodings, true)
		return passageIDs(list)
	}
	t.Run("of two that are equally close, the one comes first that is closer to those that lead", func(t *testing.T) {
		up, down := []float32{0.8, 0.6, 0}, []float32{0.8, -0.6, 0}
		got := ordered(
			[]Hit{{PassageID: 1, Score: 3}, {PassageID: 2, Score: 2.9}, {PassageID: 3, Score: 1}, {PassageID: 4, Score: 1}},
			[]float32{1, 0, 0},
			map[int64]encode.Encoding{1: encode.New(down), 2: encode.New(down), 3: encode.New(up), 4: encode.New(down)})
		if want := []int64{1, 2, 4, 3}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	t.Run("those that lead are the first that have an encoding", func(t *testing.T) {
		up, down := []float32{0.8, 0.6, 0}, []float32{0.8, -0.6, 0}
		got := ordered(
			[]Hit{{PassageID: 7, Score: 9}, {PassageID: 8, Score: 8}, {PassageID: 1, Score: 3}, {PassageID: 2, Score: 2.9}, {PassageID: 3, Score: 1}, {PassageID: 4, Score: 1}},
			[]float32{1, 0, 0},
			map[int64]encode.Encoding{1: encode.New(down), 2: encode.New(down), 3: encode.New(up), 4: encode.New(down)})
		if want := []int64{7, 8, 1, 2, 4, 3}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	t.Run("the first stays the first, however close the others are to each other", func(t *testing.T) {
		up, down := []float32{0.8, 0.6, 0}, []float32{0.8, -0.6, 0}
		encodings := map[int64]encode.Encoding{1: encode.New(up), 2: encode.New(down), 3: encode.New(down)}
		hits := []Hit{{PassageID: 1, Score: 1.001}, {PassageID: 2, Score: 1}, {PassageID: 3, Score: 1}}
		if got, want := ordered(hits, []float32{1, 0, 0}, encodings), []int64{1, 2, 3}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	t.Run("a passage whose parts are close comes before one whose parts are not", func(t *testing.T) {
		whole := []float32{0.8, 0.6}
		got := ordered(
			[]Hit{{PassageID: 1, Score: 1}, {PassageID: 2, Score: 1}},
			east,
			map[int64]encode.Encoding{1: encode.New(whole).WithPart(encode.Part{End: 9}, north), 2: encode.New(whole).WithPart(encode.Part{End: 9}, east)})
		if want := []int64{2, 1}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	t.Run("whatever the encodings, each hit stays, and the scores are in order", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			vectors := rapid.SliceOfN(rapid.SliceOfN(rapid.Float32Range(-1, 1), 4, 4), 1, 9)
			hits, encodings := []Hit{}, map[int64]encode.Encoding{}
			for i, vector := range vectors.Draw(t, "vectors") {
				id := int64(i + 1)
				hits = append(hits, Hit{PassageID: id, Score: 1 / float64(id)})
				if rapid.Bool().Draw(t, "encoded") {
					encodings[id] = encode.New(vector)
				}
				if rapid.Bool().Draw(t, "cut") && len(encodings[id]) > 0 {
					encodings[id] = encodings[id][:rapid.IntRange(0, len(encodings[id])).Draw(t, "to")]
				}
			}
			list := pointers(slices.Clone(hits))
			s.order(list, unitVector(rapid.SliceOfN(rapid.Float32Range(-1, 1), 4, 4).Draw(t, "question")), encodings, true)
			seen := map[int64]bool{}
			for i, hit := range list {
				seen[hit.PassageID] = true
				if hit.Score != hits[i].Score {
					t.Fatalf("hit %d has the score %v, want %v", i, hit.Score, hits[i].Score)
				}
			}
			if len(seen) != len(hits) {
				t.Fatalf("%d of %d hits are left", len(seen), len(hits))
			}
		})
	})
}

func BenchmarkOrder(b *testing.B) {
	s := NewSearcher(nil, nil, nil, slog.New(slog.DiscardHandler))
	vector := make([]float32, 384)
	for i := range vector {
		vector[i] = float32(math.Sin(float64(i)))
	}
	encode.ToUnit(vector)
	for name, parts := range map[string]int{"whole passages": 0, "four parts": 4} {
		b.Run(name, func(b *testing.B) {
			hits, encodings := make([]Hit, encoded), map[int64]encode.Encoding{}
			for i := range hits {
				hits[i] = Hit{PassageID: int64(i + 1), Score: 1 / float64(i+1)}
				e := encode.New(vector)
				for range parts {
					e = e.WithPart(encode.Part{End: 9}, vector)
				}
				encodings[hits[i].PassageID] = e
			}
			b.ReportAllocs()
			for b.Loop() {
				s.order(pointers(hits), vector, encodings, true)
			}
		})
	}
}
