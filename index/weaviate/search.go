package weaviate

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"parley/core/retrieval"
	"parley/index/weaviate/idf"
	"parley/index/weaviate/terms"
)

const (
	// searchTime bounds a search with all its repetitions.
	searchTime = 10 * time.Second
	// searches bounds how often a search repeats its requests.
	searches = 30
	// spare is how many more hits than the limit a search asks for, to replace
	// those that it drops.
	spare = 16
)

var errChanging = errors.New("weaviate: the documents that the search found kept changing")

// Search implements [retrieval.Index].
func (x *Index) Search(ctx context.Context, scope retrieval.Scope, query retrieval.IndexQuery) (retrieval.Hits, error) {
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return retrieval.Hits{}, failed(ctx, err)
	}
	s := search{server: x.server, names: x.names, counts: x.counts, known: x.known, tenant: tenant(scope), query: query, fetch: query.Limit + spare}
	x.tenants.touch(s.tenant)
	missed := time.Duration(0)
	for range searches {
		hits, done, err := s.once(ctx)
		if errors.Is(err, errNoCollection) {
			// There is none yet, or the alias moved under the search, or the node has
			// not learned of it.
			if _, err = x.collections.serving(ctx); err == nil {
				err = sleep(ctx, missed*firstPause)
			}
			missed++
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

// search is one search. It repeats its requests until all hits are of one state
// of their documents.
type search struct {
	server *server
	names  names
	counts *idf.Counts
	known  *knownHeads
	tenant string
	query  retrieval.IndexQuery
	// fetch is how many hits to ask for.
	fetch int
	// before holds heads that were read before the next attempt begins.
	before heads
	// otherDimension says that the server could not compare the vector. The
	// search then drops the vector from the query.
	otherDimension bool
}

// once makes one attempt. It reports whether the search is done or must be
// repeated.
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
	after, err := s.heads(ctx, started, lexical, near)
	if err != nil {
		return hits, false, err
	}
	settled := after.agree(lexical, s.before, started) && after.agree(near, s.before, started)
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
	if s.wantsTerms() {
		hits.IDF = s.idf(ctx, hits.Lexical)
	}
	return hits, true, nil
}

// rankings asks at the same time for both lists, best first.
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
	err = group.Wait()
	return lexical, near, err
}

// wantsTerms reports whether the query asks where the first lexical hits have
// its terms.
func (s *search) wantsTerms() bool { return s.query.OccurrencesOf > 0 && len(s.query.Terms) > 0 }

// tooShort reports whether the search dropped so many hits that it needs more,
// and the server may have more.
func (s *search) tooShort(found, current []hit) bool {
	return s.cut(found) && len(current) < s.query.Limit
}

// tied reports whether hits beyond the list's end may have the score of the
// last that is wanted, and a lower ID.
func (s *search) tied(found, current []hit) bool {
	return s.cut(found) && current[s.query.Limit-1].Score == current[len(current)-1].Score
}

// cut reports whether the server may have more hits and may return them.
func (s *search) cut(found []hit) bool { return len(found) >= s.fetch && s.fetch < maxResults }

// lookInto adds to the first hits where they have the query's terms, and how
// near they are to its vector.
func (s *search) lookInto(found []hit, hits []retrieval.Hit) {
	locator := terms.NewLocator(s.query.Terms)
	for i, h := range found[:min(s.query.OccurrencesOf, len(hits))] {
		hits[i].Occurrences, hits[i].Length = locator.Locate(h.terms)
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
