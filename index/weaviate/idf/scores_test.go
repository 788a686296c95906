package idf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"parley/core/retrieval"
	"parley/text/lexical"
)

// scored makes hits of passages whose scores have the server's precision.
type scored struct {
	query   []retrieval.Term
	idf     []float64
	average float64
}

// hit makes a hit of a passage that has the terms of the query so often.
func (s scored) hit(length int, frequencies ...int) retrieval.Hit {
	hit := retrieval.Hit{Length: length}
	for term, frequency := range frequencies {
		for range frequency {
			hit.Occurrences = append(hit.Occurrences, retrieval.Occurrence{Term: int32(term), At: int32(len(hit.Occurrences))})
		}
		f := float64(frequency)
		norm := lexical.K1 * (1 - lexical.B + lexical.B*float64(length)/s.average)
		hit.Score += float64(s.query[term].Weight) * s.idf[term] * f / (f + norm)
	}
	hit.Score = float64(float32(hit.Score))
	return hit
}

// random makes n hits, of which each has at least one of the terms.
func (s scored) random(random *rand.Rand, n int) []retrieval.Hit {
	hits := make([]retrieval.Hit, n)
	for i := range hits {
		frequencies := make([]int, len(s.query))
		for j := range frequencies {
			frequencies[j] = max(0, random.IntN(6)-3)
		}
		frequencies[random.IntN(len(frequencies))]++
		hits[i] = s.hit(20+random.IntN(180), frequencies...)
	}
	return hits
}

func TestIDFFromScores(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	t.Run("a hundred scores tell the idf of all terms and the average length", func(t *testing.T) {
		for round := range 200 {
			s := scored{average: 30 + 200*random.Float64()}
			for i := range 1 + random.IntN(12) {
				s.query = append(s.query, retrieval.Term{Text: fmt.Sprint(i), Weight: 1 + random.IntN(100)})
				s.idf = append(s.idf, 0.02+9*random.Float64())
			}
			hits := s.random(random, 100)
			got, average, ok := Solve(s.query, hits, 0)
			if !ok {
				t.Fatalf("round %d: no solution for %+v", round, s)
			}
			wantNear(t, "the average", average, s.average)
			for i, want := range s.idf {
				wantNear(t, "an idf", got[i], want)
			}
			again, _, ok := Solve(s.query, hits, average)
			if !ok || !slices.Equal(again, got) {
				t.Fatalf("round %d: with the average the idf is %v, was %v", round, again, got)
			}
			if _, corrected, _ := Solve(s.query, hits, 2*average); math.Abs(corrected-average) > 1e-3*average {
				t.Fatalf("round %d: a wrong average becomes %v, want %v", round, corrected, average)
			}
		}
	})

	s := scored{query: termsOf("a", "b", "c"), idf: []float64{1, 4, 7}, average: 80}
	t.Run("a term that no hit has has none", func(t *testing.T) {
		hits := []retrieval.Hit{s.hit(10, 1, 0), s.hit(70, 2, 1), s.hit(90, 0, 1), s.hit(100, 1, 1), s.hit(200, 3, 1), s.hit(65, 0, 2)}
		got, _, ok := Solve(s.query, hits, 0)
		if !ok || got[2] != 0 {
			t.Errorf("got %v, %v", got, ok)
		}
		wantNear(t, "the idf of another", got[1], 4)
	})
	t.Run("two terms that always stand together share the idf of both", func(t *testing.T) {
		var hits []retrieval.Hit
		for i := range 20 {
			hits = append(hits, s.hit(20+7*i, i%3, i%3, 1+i%2))
		}
		got, _, ok := Solve(s.query, hits, 0)
		if !ok {
			t.Fatal("no solution")
		}
		wantNear(t, "the one", got[0], 2.5)
		wantNear(t, "the other", got[1], 2.5)
		wantNear(t, "a third", got[2], 7)
	})

	var alike []retrieval.Hit
	for range 50 {
		alike = append(alike, s.hit(30, 1, 1, 1))
	}
	wrong := s.random(random, 100)
	for i := range wrong {
		wrong[i].Score *= 1 + 0.01*random.Float64()
	}
	for sentence, hits := range map[string][]retrieval.Hit{
		"no hits tell nothing":                      nil,
		"fewer hits than terms tell nothing":        {s.hit(10, 1, 1, 1), s.hit(20, 1, 2, 1)},
		"equal hits tell nothing":                   alike,
		"scores of another formula tell nothing":    wrong,
		"scores that are no numbers tell nothing":   {{Score: math.NaN(), Length: 3, Occurrences: alike[0].Occurrences}, {Score: math.Inf(1)}},
		"hits without occurrences tell nothing":     {{Score: 1}, {Score: 2}, {Score: 3}, {Score: 4}},
		"hits of zero length tell nothing about it": {s.hit(0, 1), s.hit(0, 2), s.hit(0, 3), s.hit(0, 4)},
	} {
		t.Run(sentence, func(t *testing.T) {
			if got, average, ok := Solve(s.query, hits, 0); ok {
				t.Errorf("got %v and the average %v", got, average)
			}
		})
	}
}

func wantNear(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-3*want {
		t.Fatalf("%s is %v, want %v", what, got, want)
	}
}
