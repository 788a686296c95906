package indextest

import (
	"cmp"
	"math"
	"slices"

	"parley/core/retrieval"
	"parley/text/lexical"
)

// reference is what a scope should hold, with a slow and simple search.
type reference struct{ documents map[string][]retrieval.Entry }

func newReference() *reference { return &reference{documents: map[string][]retrieval.Entry{}} }

func (r *reference) entries() []retrieval.Entry {
	var all []retrieval.Entry
	for _, entries := range r.documents {
		all = append(all, entries...)
	}
	return all
}

func count(terms []string, term string) float64 {
	n := 0
	for _, t := range terms {
		if t == term {
			n++
		}
	}
	return float64(n)
}

// lexical returns all admitted entries that have a term, ranked by the formula of
// [retrieval.Hits].
func (r *reference) lexical(query retrieval.IndexQuery) []retrieval.Hit {
	entries := r.entries()
	total := 0
	for _, e := range entries {
		total += len(e.Terms)
	}
	average := float64(total) / float64(len(entries))
	scores := make([]float64, len(entries))
	for _, term := range query.Terms {
		frequencies, n := make([]float64, len(entries)), 0.0
		for i, e := range entries {
			frequencies[i] = count(e.Terms, term.Text)
			n += min(1, frequencies[i])
		}
		idf := math.Log(1 + (float64(len(entries))-n+0.5)/(n+0.5))
		for i, e := range entries {
			f := frequencies[i]
			if f > 0 {
				scores[i] += float64(term.Weight) * idf * f / (f + lexical.K1*(1-lexical.B+lexical.B*float64(len(e.Terms))/average))
			}
		}
	}
	var hits []retrieval.Hit
	for i, e := range entries {
		if scores[i] > 0 && admits(query.Filter, e) {
			hits = append(hits, retrieval.Hit{PassageID: e.PassageID, DocumentID: e.DocumentID, Score: scores[i]})
		}
	}
	return ranked(hits)
}

// near returns all admitted entries that have a vector, ranked by cosine.
func (r *reference) near(query retrieval.IndexQuery) []retrieval.Hit {
	var hits []retrieval.Hit
	for _, e := range r.entries() {
		if len(e.Vector) > 0 && admits(query.Filter, e) {
			hits = append(hits, retrieval.Hit{PassageID: e.PassageID, DocumentID: e.DocumentID, Score: cosine(e.Vector, query.Vector)})
		}
	}
	return ranked(hits)
}

func admits(filter retrieval.Filter, e retrieval.Entry) bool {
	return (len(filter.Documents) == 0 || slices.Contains(filter.Documents, e.DocumentID)) &&
		(len(filter.Sources) == 0 || slices.Contains(filter.Sources, e.SourceID))
}

func ranked(hits []retrieval.Hit) []retrieval.Hit {
	slices.SortFunc(hits, func(a, b retrieval.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.PassageID, b.PassageID))
	})
	return hits
}

func cosine(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// unit returns a vector of length one in the direction of the numbers.
func unit(numbers ...float32) []float32 {
	length := float32(math.Sqrt(cosine(numbers, numbers)))
	vector := make([]float32, len(numbers))
	for i, n := range numbers {
		vector[i] = n / length
	}
	return vector
}

const (
	// tolerance is how far a score may deviate from the formula's, relatively.
	tolerance = 1e-4
	// accuracy is the accuracy of float32 sums: closer scores count as equal.
	accuracy = 1e-5
)

// wantLexical fails unless the hits follow the formula: the same passages with the
// same scores in the same order, except among equal scores.
func (b *bundle) wantLexical(scope retrieval.Scope, query retrieval.IndexQuery, r *reference) {
	b.Helper()
	got, want := b.search(scope, query).Lexical, r.lexical(query)
	exact := map[int64]retrieval.Hit{}
	for _, hit := range want {
		exact[hit.PassageID] = hit
	}
	want = want[:min(len(want), query.Limit)]
	if len(got) != len(want) {
		b.Errorf("%d hits for %.200v, want %d", len(got), query, len(want))
		return
	}
	for i, hit := range got {
		own, ok := exact[hit.PassageID]
		if !ok || own.DocumentID != hit.DocumentID {
			b.Errorf("hit %d is %+v, which should not be found", i, hit)
			return
		}
		if math.Abs(hit.Score-own.Score) > tolerance*own.Score {
			b.Errorf("passage %d has score %v, want %v", hit.PassageID, hit.Score, own.Score)
		}
		if own.Score < want[i].Score*(1-accuracy) {
			b.Errorf("hit %d is passage %d of score %v, want passage %d of score %v", i, hit.PassageID, own.Score, want[i].PassageID, want[i].Score)
		}
		if i > 0 && (got[i-1].Score < hit.Score || got[i-1].Score == hit.Score && got[i-1].PassageID >= hit.PassageID) {
			b.Errorf("hit %d, %+v, is not behind %+v", i, hit, got[i-1])
		}
	}
}
