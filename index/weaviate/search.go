package weaviate

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"parley/core/retrieval"
)

const (
	// searchTime bounds a search with all its repetitions.
	searchTime = 10 * time.Second
	// searches bounds how often a search is repeated.
	searches = 30
	// spare is how many hits more than wanted are asked for, in the place of
	// those that are dropped.
	spare = 16
)

var errChanging = errors.New("weaviate: what was found changed again and again while it was looked for")

// Search is that of [retrieval.Index].
func (x *Index) Search(ctx context.Context, scope retrieval.Scope, query retrieval.IndexQuery) (retrieval.Hits, error) {
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return retrieval.Hits{}, failed(ctx, err)
	}
	s := search{Index: x, tenant: tenant(scope), query: query, fetch: query.Limit + spare}
	x.touch(s.tenant)
	for range searches {
		hits, done, err := s.once(ctx)
		if errors.Is(err, errNoCollection) {
			// There is none yet, or the alias moved under the search.
			_, err = x.serving(ctx)
		}
		if err != nil {
			return retrieval.Hits{}, failed(ctx, err)
		}
		if done {
			return hits, nil
		}
	}
	return retrieval.Hits{}, failed(ctx, errChanging)
}

// search is one that goes on until it has seen one state of all it found.
type search struct {
	*Index
	tenant string
	query  retrieval.IndexQuery
	// fetch is how many hits to ask for.
	fetch int
	// before holds heads that were read before the next attempt begins.
	before heads
	// idf is that of each term, once it is known.
	idf []float64
	// otherDimension says that the server could not compare the vector, which
	// the query has no more.
	otherDimension bool
}

// once does one attempt. Without an error it is done, or to be repeated.
func (s *search) once(ctx context.Context) (hits retrieval.Hits, done bool, err error) {
	started := time.Now()
	lexical, near, err := s.rankings(ctx)
	if errors.Is(err, errOtherDimension) {
		s.query.Vector, s.otherDimension = nil, true
		return hits, false, nil
	}
	if err != nil {
		return hits, false, err
	}
	after, err := s.heads(ctx, lexical, near)
	if err != nil {
		return hits, false, err
	}
	settled := after.settle(lexical, s.before, started) && after.settle(near, s.before, started)
	s.before = after
	if !settled {
		return hits, false, nil
	}
	foundLexical, foundNear := after.current(lexical), after.current(near)
	if s.tooShort(lexical, foundLexical) || s.tied(lexical, foundLexical) || s.tooShort(near, foundNear) {
		s.fetch = min(4*s.fetch, maxResults)
		return hits, false, nil
	}
	hits.OtherDimension = s.otherDimension
	hits.Lexical, hits.Near = results(foundLexical, s.query.Limit), results(foundNear, s.query.Limit)
	s.lookInto(foundLexical, hits.Lexical)
	hits.IDF = s.idf
	if s.wantsTerms() && hits.IDF == nil {
		hits.IDF = guessed(s.query.Terms, hits.Lexical)
	}
	return hits, true, nil
}

// rankings asks at the same time for both lists, best first, and for the
// rarity of the terms.
func (s *search) rankings(ctx context.Context) (lexical, near []hit, err error) {
	group, ctx := errgroup.WithContext(ctx)
	if len(s.query.Terms) > 0 {
		group.Go(func() (err error) {
			lexical, err = s.lexical(ctx)
			return err
		})
	}
	if len(s.query.Vector) > 0 {
		group.Go(func() (err error) {
			near, err = s.near(ctx)
			return err
		})
	}
	if s.wantsTerms() && s.idf == nil {
		group.Go(func() error {
			// A search that does not know it is better than none.
			s.idf, _ = s.rarities(ctx)
			return nil
		})
	}
	err = group.Wait()
	return lexical, near, err
}

// wantsTerms reports whether more is asked of the first lexical hits than
// their place.
func (s *search) wantsTerms() bool { return s.query.OccurrencesOf > 0 && len(s.query.Terms) > 0 }

// tooShort reports whether so many hits were dropped that more are needed, and
// there may be more.
func (s *search) tooShort(found, current []hit) bool {
	return s.cut(found) && len(current) < s.query.Limit
}

// tied reports whether hits beyond the list's end may have the score of the
// last that is wanted, and a lower ID.
func (s *search) tied(found, current []hit) bool {
	return s.cut(found) && current[s.query.Limit-1].Score == current[len(current)-1].Score
}

// cut reports whether the server may have more, and may tell.
func (s *search) cut(found []hit) bool { return len(found) >= s.fetch && s.fetch < maxResults }

// lookInto puts into the first hits where they have the query's terms, and how
// near they are to its vector.
func (s *search) lookInto(found []hit, hits []retrieval.Hit) {
	terms := newLocator(s.query.Terms)
	for i, h := range found[:min(s.query.OccurrencesOf, len(hits))] {
		hits[i].Occurrences, hits[i].Length = terms.locate(h.terms)
		hits[i].Similarity = similarity(s.query.Vector, h.vector)
	}
}

func results(current []hit, limit int) []retrieval.Hit {
	var hits []retrieval.Hit
	for _, h := range current[:min(len(current), limit)] {
		hits = append(hits, h.Hit)
	}
	return hits
}
