package weaviate

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"parley/core/knowledge"
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

// Search is that of [knowledge.Index].
func (x *Index) Search(ctx context.Context, scope knowledge.Scope, query knowledge.IndexQuery) (knowledge.Hits, error) {
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return knowledge.Hits{}, failed(ctx, err)
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
			return knowledge.Hits{}, failed(ctx, err)
		}
		if done {
			return hits, nil
		}
	}
	return knowledge.Hits{}, failed(ctx, errChanging)
}

// search is one that goes on until it has seen one state of all it found.
type search struct {
	*Index
	tenant string
	query  knowledge.IndexQuery
	// fetch is how many hits to ask for.
	fetch int
	// before holds heads that were read before the next attempt begins.
	before heads
}

// once does one attempt. Without an error it is done, or to be repeated.
func (s *search) once(ctx context.Context) (hits knowledge.Hits, done bool, err error) {
	started := time.Now()
	lexical, near, err := s.rankings(ctx)
	if err != nil {
		return hits, false, err
	}
	after, terms, err := s.afterwards(ctx, lexical, near)
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
	hits.Lexical, hits.Near = results(foundLexical, s.query.Limit), results(foundNear, s.query.Limit)
	done, err = s.locate(ctx, foundLexical, hits.Lexical, terms)
	return hits, done, err
}

// rankings asks for both lists at the same time, best first.
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

// afterwards reads the heads of what was found, and meanwhile the terms of
// those hits that will probably be returned with their occurrences.
func (s *search) afterwards(ctx context.Context, lexical, near []hit) (after heads, terms map[string][]string, err error) {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		after, err = s.heads(ctx, lexical, near)
		return err
	})
	group.Go(func() (err error) {
		terms, err = s.readTerms(ctx, s.tenant, lexical[:min(len(lexical), s.query.OccurrencesOf)])
		return err
	})
	err = group.Wait()
	return after, terms, err
}

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

// locate puts into the first hits where they have the query's terms. It
// reports false if a passage has been deleted meanwhile.
func (s *search) locate(ctx context.Context, found []hit, hits []knowledge.Hit, terms map[string][]string) (bool, error) {
	found = found[:min(s.query.OccurrencesOf, len(hits))]
	// Hits that took the place of dropped ones have not been asked for.
	missing := slices.DeleteFunc(slices.Clone(found), func(h hit) bool { return terms[h.object] != nil })
	more, err := s.readTerms(ctx, s.tenant, missing)
	if err != nil {
		return false, err
	}
	maps.Copy(terms, more)
	for i, h := range found {
		own := terms[h.object]
		if own == nil {
			return false, nil
		}
		hits[i].Occurrences, hits[i].Length = occurrences(own, s.query.Terms), len(own)
	}
	return true, nil
}

func results(current []hit, limit int) []knowledge.Hit {
	var hits []knowledge.Hit
	for _, h := range current[:min(len(current), limit)] {
		hits = append(hits, h.Hit)
	}
	return hits
}
