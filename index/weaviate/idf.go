package weaviate

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"parley/core/retrieval"
	"parley/index/weaviate/idf"
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
	known := s.counts.Of(s.tenant)
	if list, average, ok := idf.Solve(s.query.Terms, hits, known.AverageLength()); ok {
		known.PutAverageLength(average)
		return list
	}
	missing := known.Missing(s.query.Terms)
	if len(missing) == 0 || s.countTerms(ctx, known, missing) == nil {
		if list, err := known.IDF(s.query.Terms); err == nil {
			return list
		}
	}
	return idf.Guess(s.query.Terms, hits)
}

// countTerms counts the passages that have each of some terms. The empty one
// stands for all passages.
func (s *search) countTerms(ctx context.Context, into *idf.Tenant, counted []string) error {
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
				into.Put(term, n)
			}
			return err
		})
	}
	return group.Wait()
}
