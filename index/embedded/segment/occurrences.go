package segment

import (
	"parley/core/retrieval"
)

// occurrences adds to the hits of candidates, of which there are some, where their passages have the query's
// terms.
func (s *search) occurrences(candidates []candidate, hits []retrieval.Hit) {
	s.found = s.found[:0]
	ends := resize(s.ends, len(candidates))
	marked := candidates[0].view
	s.want(marked, true)
	for i, c := range candidates {
		if c.view != marked {
			s.want(marked, false)
			marked = c.view
			s.want(marked, true)
		}
		hits[i].Length = int(at32(s.views[c.view].lengths, int(c.passage)))
		s.find(c)
		ends[i] = len(s.found)
	}
	s.want(marked, false)
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

// find appends the occurrences in a passage to found. It reads the usual size of
// numbers on its own, because there may be a hundred thousand of them.
func (s *search) find(c candidate) {
	list, size := s.views[c.view].forwardOf(int(c.passage))
	wanted, most := s.wanted, len(s.found)+retrieval.MaxOccurrences
	if size == 2 {
		for at := 0; at+1 < len(list); at += 2 {
			if term := wanted[le.Uint16(list[at:])]; term > 0 && len(s.found) < most {
				s.found = append(s.found, retrieval.Occurrence{Term: int32(term) - 1, At: int32(at / 2)})
			}
		}
		return
	}
	for at := 0; at < len(list); at += size {
		if term := wanted[numberAt(list[at:], size)]; term > 0 && len(s.found) < most {
			s.found = append(s.found, retrieval.Occurrence{Term: int32(term) - 1, At: int32(at / size)})
		}
	}
}
