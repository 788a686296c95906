package segment

import (
	"parley/core/retrieval"
)

// occurrences adds to the hits of candidates where their passages have the query's
// terms.
func (s *search) occurrences(candidates []candidate, hits []retrieval.Hit) {
	s.found = s.found[:0]
	ends := resize(s.ends, len(candidates))
	for i, c := range candidates {
		s.want(c.view, true)
		hits[i].Length = int(at32(s.views[c.view].lengths, int(c.passage)))
		s.find(c)
		s.want(c.view, false)
		ends[i] = len(s.found)
	}
	s.ends = ends
	all, start := append([]retrieval.Occurrence(nil), s.found...), 0
	for i, end := range ends {
		if end > start {
			hits[i].Occurrences = all[start:end:end]
		}
		start = end
	}
}

// want marks in wanted which terms of a view are the query's, or clears the marks.
func (s *search) want(view int32, wanted bool) {
	s.wanted = resize(s.wanted, s.views[view].terms)
	for term := range s.query.Terms {
		number := s.numbers[term*len(s.views)+int(view)]
		switch {
		case number < 0:
		case wanted:
			s.wanted[number] = uint16(term + 1)
		default:
			s.wanted[number] = 0
		}
	}
}

// find appends the occurrences in a passage to found. It reads the varints of the
// forward list in place, because there may be a hundred thousand of them.
func (s *search) find(c candidate) {
	list := s.views[c.view].forwardOf(int(c.passage))
	wanted, found := s.wanted, s.found
	most := len(found) + retrieval.MaxOccurrences
	place := int32(0)
	for at := 0; at < len(list) && len(found) < most; place++ {
		number := uint32(list[at])
		at++
		for shift := 7; number>>shift&1 == 1; shift += 7 {
			number = number&(1<<shift-1) | uint32(list[at])<<shift
			at++
		}
		if term := wanted[number]; term > 0 {
			found = append(found, retrieval.Occurrence{Term: int32(term) - 1, At: place})
		}
	}
	s.found = found
}
