package segment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"parley/core/retrieval"
)

// TestManyVectors has too many vectors in a segment to compare all exactly.
func TestManyVectors(t *testing.T) {
	const dimension, limit = 128, 10
	random := rand.New(rand.NewPCG(1, 2))
	// As with models, all vectors have a part in common, some dimensions carry
	// more information than others, and some subjects have many vectors.
	var things [200][dimension]float64
	for i := range things {
		for j := range dimension {
			things[i][j] = 0.5 + random.NormFloat64()/(1+float64(j)/64)
		}
	}
	vector := func() []float32 {
		vector, squares := make([]float32, dimension), 0.0
		thing := things[random.IntN(len(things))]
		for i := range vector {
			x := thing[i] + 0.5*random.NormFloat64()/(1+float64(i)/64)
			vector[i] = float32(x)
			squares += x * x
		}
		for i := range vector {
			vector[i] /= float32(math.Sqrt(squares))
		}
		return vector
	}
	var entries []retrieval.Entry
	for i := range 12_000 {
		entries = append(entries, retrieval.Entry{PassageID: int64(i + 1), DocumentID: "d", Vector: vector()})
	}
	v := View{Segment: built(t, entries)}
	query := retrieval.IndexQuery{Limit: limit}
	found := 0
	const questions = 30
	for range questions {
		query.Vector = vector()
		got := mustSearch(t, []View{v}, query).Near
		exact := best{limit: limit}
		question, unit := asNumbers(query.Vector, nil)
		for i := range v.vectors {
			exact.add(candidate{score: v.cosine(i, question, unit), id: int64(i + 1)})
		}
		for _, c := range exact.sorted() {
			if slices.ContainsFunc(got, func(h retrieval.Hit) bool { return h.PassageID == c.id }) {
				found++
			}
		}
	}
	t.Run("the rough view finds nearly all of the nearest", func(t *testing.T) {
		if recall := float64(found) / (questions * limit); recall < 0.95 {
			t.Errorf("recall is %.3f", recall)
		} else {
			t.Logf("recall is %.3f", recall)
		}
	})
	t.Run("of many equal vectors the first up to the limit are found, in order", func(t *testing.T) {
		for i := range entries {
			entries[i].Vector = entries[0].Vector
		}
		v := View{Segment: built(t, entries)}
		if hits := mustSearch(t, []View{v}, query).Near; len(hits) != limit || hits[0].PassageID != 1 {
			t.Errorf("found %d, first %+v", len(hits), hits[0])
		}
	})
}

func TestLargeDocument(t *testing.T) {
	const limit = 100_000
	var entries []retrieval.Entry
	for i := range 200 {
		e := retrieval.Entry{PassageID: int64(i + 1), DocumentID: "d"}
		for j := range 100 {
			e.Terms = append(e.Terms, fmt.Sprint("w", (i+j)%250))
		}
		entries = append(entries, e)
	}
	t.Run("a document too large for one segment has several", func(t *testing.T) {
		var views []View
		for _, data := range buildAll(entries, limit) {
			if len(data) > limit {
				t.Errorf("a segment has %d bytes", len(data))
			}
			views = append(views, View{Segment: mustDecode(t, data)})
		}
		if len(views) < 2 {
			t.Fatalf("%d segments", len(views))
		}
		query := retrieval.IndexQuery{Terms: []retrieval.Term{{Text: "w150", Weight: 1}}, Limit: 1000, Filter: retrieval.Filter{Documents: []string{"d"}}}
		if hits := mustSearch(t, views, query).Lexical; len(hits) != 100 {
			t.Errorf("%d passages are found, want 100", len(hits))
		}
	})
}
