package indextest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"parley/core/retrieval"
)

// cosineTolerance allows an index to store vectors in fewer bits.
const cosineTolerance = 0.02

func testNear(t *testing.T, b *bundle) {
	kept := newReference()
	entries := Entries("doc", 1, "a", "b", "c", "d", "e", "f")
	for i, angle := range []float64{2.5, 0.1, 1.4, 0.5, 3.1, 0.9} {
		entries[i].Vector = unit(float32(math.Cos(angle)), float32(math.Sin(angle)), 0, 0)
	}
	b.replace(home, "doc", entries)
	kept.documents["doc"] = entries
	query := retrieval.IndexQuery{Vector: unit(1, 0, 0, 0), Limit: 10}
	got, want := b.search(home, query), kept.near(query)
	if !slices.Equal(ids(got.Near), ids(want)) {
		t.Fatalf("found %v, want %v", ids(got.Near), ids(want))
	}
	for i, hit := range got.Near {
		if math.Abs(hit.Score-want[i].Score) > cosineTolerance || hit.DocumentID != "doc" {
			t.Errorf("hit %d is %+v, want score %v", i, hit, want[i].Score)
		}
	}
	if len(got.Lexical) != 0 {
		t.Errorf("a question without terms has the lexical hits %v", got.Lexical)
	}
	b.remove(home, "doc")
	if near := b.search(home, query).Near; len(near) != 0 {
		t.Errorf("a removed document is near: %v", near)
	}
}

// testRecall searches 2,000 vectors in 40 clusters, like embeddings of passages
// about 40 subjects.
func testRecall(t *testing.T, b *bundle) {
	const dimension, clusters = 64, 40
	random := rand.New(rand.NewPCG(5, 5))
	around := func(center []float32, spread float64) []float32 {
		vector := make([]float32, dimension)
		for i := range vector {
			vector[i] = float32(spread * random.NormFloat64())
			if center != nil {
				vector[i] += center[i]
			}
		}
		return unit(vector...)
	}
	var centers [][]float32
	for range clusters {
		centers = append(centers, around(nil, 1))
	}
	kept := newReference()
	for i := range 20 {
		document := fmt.Sprint("doc_", i)
		var entries []retrieval.Entry
		for j := range 100 {
			entries = append(entries, retrieval.Entry{
				PassageID: int64(100*i + j + 1), DocumentID: document, Terms: []string{"apple"},
				Vector: around(centers[random.IntN(clusters)], 0.08),
			})
		}
		b.replace(home, document, entries)
		kept.documents[document] = entries
	}
	const questions, limit = 50, 10
	found := 0
	for range questions {
		query := retrieval.IndexQuery{Vector: around(centers[random.IntN(clusters)], 0.08), Limit: limit}
		got := ids(b.search(home, query).Near)
		for _, id := range ids(kept.near(query)[:limit]) {
			if slices.Contains(got, id) {
				found++
			}
		}
	}
	if recall := float64(found) / (questions * limit); recall < 0.95 {
		t.Errorf("recall at %d is %.3f, want at least 0.95", limit, recall)
	}
}

func testMixed(t *testing.T, b *bundle) {
	b.replace(home, "bare", Entries("bare", 1, "apple", "pear"))
	if near := b.search(home, retrieval.IndexQuery{Vector: unit(1, 0), Limit: 10}).Near; len(near) != 0 {
		t.Errorf("near hits %v in an index without vectors", near)
	}
	entries := Entries("mixed", 11, "apple", "pear", "apple pear")
	entries[1].Vector = unit(1, 1)
	b.replace(home, "mixed", entries)
	hits := b.search(home, retrieval.IndexQuery{Terms: Terms("apple"), Vector: unit(1, 0), Limit: 10})
	if got := ids(hits.Near); !slices.Equal(got, []int64{12}) {
		t.Errorf("near hits are %v, want 12", got)
	}
	if got := ids(hits.Lexical); !slices.Equal(got, []int64{1, 11, 13}) {
		t.Errorf("lexical hits are %v, want 1, 11 and 13", got)
	}
}

func testDimension(t *testing.T, b *bundle) {
	entries := Entries("doc", 1, "apple")
	entries[0].Vector = unit(1, 2, 3)
	b.replace(home, "doc", entries)
	for _, scope := range []retrieval.Scope{home, other} {
		wrong := Entries("wrong", 11, "pear", "fig")
		wrong[1].Vector = unit(1, 2)
		if err := b.index.Replace(t.Context(), scope, "wrong", wrong); err == nil {
			t.Errorf("a vector of another dimension was accepted in %s", name(scope))
		}
		b.wantCount(scope, "wrong", 0)
		b.wantFound(scope, "pear fig")
	}
	b.wantFound(home, "apple", 1)
}

func testOtherQuestion(t *testing.T, b *bundle) {
	entries := Entries("doc", 1, "apple", "pear")
	for i := range entries {
		entries[i].Vector = unit(1, 2, float32(i))
	}
	b.replace(home, "doc", entries)
	for _, vector := range [][]float32{unit(1, 2), unit(1, 2, 3, 4)} {
		query := retrieval.IndexQuery{Terms: Terms("apple"), Limit: 5, OccurrencesOf: 5}
		want := b.search(home, query)
		query.Vector, want.OtherDimension = vector, true
		if got := b.search(home, query); !reflect.DeepEqual(got, want) {
			t.Errorf("a question of dimension %d finds %+v, want %+v", len(vector), got, want)
		}
		query.Terms = nil
		if got := b.search(home, query); len(got.Near)+len(got.Lexical) > 0 || !got.OtherDimension {
			t.Errorf("a question of dimension %d without words finds %+v", len(vector), got)
		}
	}
	if got := b.search(home, retrieval.IndexQuery{Vector: unit(1, 2, 0), Limit: 5}); got.OtherDimension || len(got.Near) != 2 {
		t.Errorf("a question of the same dimension finds %+v", got)
	}
}
