package idf

import (
	"math"

	"parley/core/retrieval"
)

// idfOf returns the idf by the formula in [retrieval.Hits], for a term that n of total
// passages have. The two may have been counted one after the other.
func idfOf(total, n int) float64 {
	return math.Log(1 + (float64(max(total, n)-n)+0.5)/(float64(n)+0.5))
}

// Guess estimates the idf of each term from the hits, if the server did not
// count: a term that most of the hits have is a common one.
func Guess(terms []retrieval.Term, hits []retrieval.Hit) []float64 {
	have := make([]int, len(terms))
	last := make([]int, len(terms))
	for i, hit := range hits {
		for _, o := range hit.Occurrences {
			if last[o.Term] != i+1 {
				have[o.Term]++
				last[o.Term] = i + 1
			}
		}
	}
	list := make([]float64, len(terms))
	for i, n := range have {
		list[i] = idfOf(len(hits), n)
	}
	return list
}
