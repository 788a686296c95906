package weaviate

import (
	"context"
	"math"
	"time"

	"golang.org/x/sync/errgroup"

	"parley/core/retrieval"
	"parley/index/weaviate/terms"
)

const (
	// idfTime bounds the counting for one search. A search succeeds without it.
	idfTime = time.Second
	// countsAtOnce bounds how many terms are counted at the same time.
	countsAtOnce = 16
)

// idf returns the idf of each of the query's terms: from the scores of the hits,
// if these determine it, or else from the server's counts, or else, because a
// search without it is better than none, a guess.
func (s *search) idf(ctx context.Context, hits []retrieval.Hit) []float64 {
	known := s.counts.of(s.tenant)
	if list, average, ok := equationsOf(s.query.Terms, hits).solve(known.averageLength()); ok {
		known.putAverageLength(average)
		return list
	}
	missing := known.missing(s.query.Terms)
	if len(missing) == 0 || s.countTerms(ctx, known, missing) == nil {
		if list, err := known.idf(s.query.Terms); err == nil {
			return list
		}
	}
	return guessed(s.query.Terms, hits)
}

// countTerms counts the passages that have each of some terms. The empty one
// stands for all passages.
func (s *search) countTerms(ctx context.Context, into *tenantCounts, counted []string) error {
	ctx, cancel := context.WithTimeout(ctx, idfTime)
	defer cancel()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(countsAtOnce)
	for _, term := range counted {
		group.Go(func() error {
			filter := is(propTerms, terms.EncodeTerm(term))
			if term == "" {
				filter = nil
			}
			n, err := s.server.count(ctx, s.names.alias(), s.tenant, filter)
			if err == nil {
				into.put(term, n)
			}
			return err
		})
	}
	return group.Wait()
}

// idf is that of the formula in [retrieval.Hits], for a term that n of total
// passages have. The two may have been counted one after the other.
func idf(total, n int) float64 {
	return math.Log(1 + (float64(max(total, n)-n)+0.5)/(float64(n)+0.5))
}

// guessed estimates the idf of each term from the hits, if the server did not
// count: a term that most of the hits have is a common one.
func guessed(terms []retrieval.Term, hits []retrieval.Hit) []float64 {
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
		list[i] = idf(len(hits), n)
	}
	return list
}
