package segment

import (
	"context"
	"math"
	"sync"

	"parley/core/retrieval"
	"parley/text/lexical"
)

// search is one search over the views of a scope. A pool reuses its memory, so
// that a search of a small chatbot allocates little more than its hits.
type search struct {
	views []View
	query retrieval.IndexQuery
	// admitted has the live passages of each view that the filter admits. Nil
	// admits all.
	admitted []passageSet
	best     best
	// numbers holds a term's number in each view, or -1.
	numbers []int32
	// idf has the idf of the query's terms, for the hits.
	idf []float64
	// scores holds the scores of one view's passages.
	scores []float32
	// wanted holds, for each term of one view, the number of the query's term
	// from one, or zero. found holds the occurrences of all hits, and ends where
	// each hit's occurrences end.
	wanted []uint16
	found  []retrieval.Occurrence
	ends   []int
	// question has the query's vector as integers, which stand for unit each.
	question []int16
	unit     float32
	// planes, sums and histogram belong to the rough comparison of vectors.
	planes    []uint64
	sums      []int32
	histogram []int
}

var searches = sync.Pool{New: func() any { return new(search) }}

// Search returns the best hits of the views of a scope.
func Search(ctx context.Context, views []View, query retrieval.IndexQuery) (retrieval.Hits, error) {
	s := searches.Get().(*search)
	defer searches.Put(s)
	s.views, s.query = views, query
	defer func() { s.views, s.query, s.idf = nil, retrieval.IndexQuery{}, nil }()
	s.admit()
	hits := retrieval.Hits{OtherDimension: !s.comparable()}
	if hits.OtherDimension {
		s.query.Vector = nil
	}
	s.question, s.unit = asNumbers(s.query.Vector, s.question[:0])
	if len(s.query.Terms) > 0 {
		if err := s.lexical(ctx); err != nil {
			return retrieval.Hits{}, err
		}
		hits.Lexical = s.hits(query.OccurrencesOf)
		if query.OccurrencesOf > 0 {
			hits.IDF = s.idf
		}
	}
	if len(s.query.Vector) > 0 {
		if err := s.near(ctx); err != nil {
			return retrieval.Hits{}, err
		}
		hits.Near = s.hits(0)
	}
	return hits, nil
}

// comparable reports whether the query's vector, if it has one, is as long as the
// views' vectors.
func (s *search) comparable() bool {
	for _, v := range s.views {
		if len(s.query.Vector) > 0 && v.vectors > 0 && v.dimension != len(s.query.Vector) {
			return false
		}
	}
	return true
}

func (s *search) begin() {
	s.best.heap, s.best.limit = s.best.heap[:0], s.query.Limit
}

// hits returns the best, the first ones with their occurrences.
func (s *search) hits(occurrencesOf int) []retrieval.Hit {
	if len(s.best.heap) == 0 {
		return nil
	}
	hits := make([]retrieval.Hit, 0, len(s.best.heap))
	sorted := s.best.sorted()
	for _, c := range sorted {
		v := s.views[c.view]
		hits = append(hits, retrieval.Hit{PassageID: c.id, DocumentID: v.name(v.documentOf(int(c.passage))), Score: float64(c.score)})
	}
	if looked := sorted[:min(occurrencesOf, len(sorted))]; len(looked) > 0 {
		s.occurrences(looked, hits)
		if len(s.query.Vector) > 0 {
			s.similarities(looked, hits)
		}
	}
	return hits
}

// lexical ranks by BM25: it looks all terms up in all views, and then adds the
// scores up view by view.
func (s *search) lexical(ctx context.Context) error {
	s.begin()
	passages, length := 0, uint64(0)
	for _, v := range s.views {
		passages += v.Live()
		length += v.liveLength()
	}
	if length == 0 {
		return nil
	}
	weights := s.lookup(passages)
	// The formula's denominator is f + flat + slope × length.
	flat := float32(lexical.K1 * (1 - lexical.B))
	slope := float32(lexical.K1 * lexical.B * float64(passages) / float64(length))
	for i, v := range s.views {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.scores = resize(s.scores, v.passages)
		clear(s.scores)
		found := false
		for j, weight := range weights {
			if number := s.numbers[j*len(s.views)+i]; number >= 0 {
				found = true
				v.accumulate(int(number), weight, flat, slope, s.scores)
			}
		}
		if found {
			s.collect(i)
		}
	}
	return nil
}

// lookup fills numbers, and returns the factor of each term: its weight times
// its idf.
func (s *search) lookup(passages int) []float32 {
	weights := make([]float32, len(s.query.Terms))
	s.idf = make([]float64, len(s.query.Terms))
	s.numbers = s.numbers[:0]
	for j, term := range s.query.Terms {
		n := 0
		for _, v := range s.views {
			number := v.lookup(term.Text)
			s.numbers = append(s.numbers, int32(number))
			if number >= 0 {
				n += v.frequency(number)
			}
		}
		idf := math.Log(1 + (float64(passages)-float64(n)+0.5)/(float64(n)+0.5))
		s.idf[j] = idf
		weights[j] = float32(float64(term.Weight) * idf)
	}
	return weights
}

// accumulate adds a term's part to the scores of the passages that have it.
func (s *Segment) accumulate(term int, weight, flat, slope float32, scores []float32) {
	list, _ := s.postingsOf(term)
	lengths, passage := s.lengths, uint32(0)
	for at := 0; at < len(list); {
		gap := uint32(list[at])
		at++
		for shift := 7; gap>>shift&1 == 1; shift += 7 {
			gap = gap&(1<<shift-1) | uint32(list[at])<<shift
			at++
		}
		passage += gap >> frequencyBits
		many := gap&often + 1
		if many > often {
			many = uint32(list[at])
			at++
			for shift := 7; many>>shift&1 == 1; shift += 7 {
				many = many&(1<<shift-1) | uint32(list[at])<<shift
				at++
			}
		}
		frequency := float32(int32(many))
		scores[passage] += weight * frequency / (frequency + flat + slope*float32(int32(le.Uint32(lengths[4*passage:]))))
	}
}

// collect takes the best of a view's scores.
func (s *search) collect(view int) {
	v, admitted := s.views[view], s.admitted[view]
	floor := s.best.floor(math.SmallestNonzeroFloat32)
	for passage, score := range s.scores {
		if score < floor || admitted != nil && !admitted.has(passage) {
			continue
		}
		s.best.add(candidate{score: score, view: int32(view), passage: int32(passage), id: v.id(passage)})
		floor = s.best.floor(math.SmallestNonzeroFloat32)
	}
}

func resize[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	return list[:n]
}
