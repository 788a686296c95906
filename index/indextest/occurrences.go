package indextest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"parley/core/retrieval"
)

// occurrences returns the occurrences that a hit of an entry must have.
func occurrences(e retrieval.Entry, query []retrieval.Term) []retrieval.Occurrence {
	var list []retrieval.Occurrence
	for at, word := range e.Terms {
		i := slices.IndexFunc(query, func(t retrieval.Term) bool { return t.Text == word })
		if i >= 0 && len(list) < retrieval.MaxOccurrences {
			list = append(list, retrieval.Occurrence{Term: int32(i), At: int32(at)})
		}
	}
	return list
}

// wantOccurrences fails unless exactly the first hits have their occurrences.
func (b *bundle) wantOccurrences(query retrieval.IndexQuery, entries []retrieval.Entry) {
	b.Helper()
	hits := b.search(home, query)
	for i, hit := range hits.Lexical {
		at := slices.IndexFunc(entries, func(e retrieval.Entry) bool { return e.PassageID == hit.PassageID })
		if at < 0 {
			b.Fatalf("found passage %d, which does not exist", hit.PassageID)
		}
		var want []retrieval.Occurrence
		length := 0
		if i < query.OccurrencesOf {
			want, length = occurrences(entries[at], query.Terms), len(entries[at].Terms)
		}
		if !slices.Equal(hit.Occurrences, want) || hit.Length != length {
			b.Errorf("%d wanted: hit %d has length %d and %.300v, want %d and %.300v", query.OccurrencesOf, i, hit.Length, hit.Occurrences, length, want)
		}
	}
}

func testOccurrences(_ *testing.T, b *bundle) {
	random := rand.New(rand.NewPCG(11, 1))
	var all []retrieval.Entry
	for i := range 8 {
		document := fmt.Sprint("doc_", i)
		var entries []retrieval.Entry
		for j := range 4 {
			e := retrieval.Entry{PassageID: int64(10*i + j + 1), DocumentID: document}
			for range 1 + random.IntN(60) {
				e.Terms = append(e.Terms, fmt.Sprint("w", random.IntN(40)))
			}
			entries = append(entries, e)
		}
		b.replace(home, document, entries)
		all = append(all, entries...)
	}
	for _, text := range []string{"w1", "w7 w3 w39 unknown w0", "unknown w5", "w30 w20 w10 w11 w12 w13 w14 w15 w16 w17"} {
		for _, wanted := range []int{0, 1, 3, 1000} {
			b.wantOccurrences(retrieval.IndexQuery{Terms: Terms(text), Limit: 20, OccurrencesOf: wanted}, all)
		}
	}
}

func testManyOccurrences(_ *testing.T, b *bundle) {
	entries := Entries("doc", 1, strings.Repeat("apple and ", 400), strings.Repeat("no ", 300)+"apple", "apple")
	b.replace(home, "doc", entries)
	b.wantOccurrences(retrieval.IndexQuery{Terms: Terms("apple"), Limit: 10, OccurrencesOf: 10}, entries)
	b.wantOccurrences(retrieval.IndexQuery{Terms: Terms("and apple"), Limit: 10, OccurrencesOf: 2}, entries)
}

func testIDF(t *testing.T, b *bundle) {
	b.replace(home, "doc", Entries("doc", 1, "apples are red", "apples", "pears", "figs and apples"))
	b.replace(other, "doc", Entries("doc", 11, "pears", "pears"))
	query := retrieval.IndexQuery{Terms: Terms("apples pears unknown"), Limit: 10, OccurrencesOf: 1}
	hits := b.search(home, query)
	if len(hits.IDF) != 3 {
		t.Fatalf("IDF is %v for three terms", hits.IDF)
	}
	for i, n := range []float64{3, 1, 0} {
		if want := math.Log(1 + (4-n+0.5)/(n+0.5)); math.Abs(hits.IDF[i]-want) > tolerance*want {
			t.Errorf("the IDF of %s is %v, want %v", query.Terms[i].Text, hits.IDF[i], want)
		}
	}
}

func testSimilarity(t *testing.T, b *bundle) {
	entries := Entries("doc", 1, "apple", "apple apple", "apple and a pear", "apple with no vector", "a pear")
	kept := map[int64]float64{}
	query := retrieval.IndexQuery{Terms: Terms("apple"), Vector: unit(1, 2, 3), Limit: 10}
	for i := range entries {
		if i != 3 {
			entries[i].Vector = unit(float32(i), 1, -2+float32(i))
			kept[entries[i].PassageID] = cosine(entries[i].Vector, query.Vector)
		}
	}
	b.replace(home, "doc", entries)
	for _, query.OccurrencesOf = range []int{0, 2, 10} {
		hits := b.search(home, query).Lexical
		if len(hits) != 4 {
			t.Fatalf("found %v", ids(hits))
		}
		for i, hit := range hits {
			want := 0.0
			if i < query.OccurrencesOf {
				want = kept[hit.PassageID]
			}
			if math.Abs(hit.Similarity-want) > cosineTolerance {
				t.Errorf("%d wanted: hit %d, passage %d, has similarity %v, want %v", query.OccurrencesOf, i, hit.PassageID, hit.Similarity, want)
			}
		}
	}
	query.Vector = nil
	if hit := b.search(home, query).Lexical[0]; hit.Similarity != 0 {
		t.Errorf("similarity %v to no vector", hit.Similarity)
	}
}
