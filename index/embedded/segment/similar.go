package segment

import (
	"sort"

	"parley/core/retrieval"
)

// similarities adds to the hits of candidates how near their passages are to the
// query's vector.
func (s *search) similarities(candidates []candidate, hits []retrieval.Hit) {
	for i, c := range candidates {
		v := s.views[c.view]
		if v.dimension != len(s.query.Vector) {
			continue
		}
		if vector, ok := v.vectorNumber(int(c.passage)); ok {
			hits[i].Similarity = float64(v.cosine(vector, s.question, s.unit))
		}
	}
}

// vectorNumber returns the number of a passage's vector, if it has one.
func (t *vectorTable) vectorNumber(passage int) (int, bool) {
	// Where every passage has a vector, as is usual, they have the same numbers.
	if passage < t.vectors && int(at32(t.vectorOf, passage)) == passage {
		return passage, true
	}
	i := sort.Search(t.vectors, func(i int) bool { return int(at32(t.vectorOf, i)) >= passage })
	return i, i < t.vectors && int(at32(t.vectorOf, i)) == passage
}
