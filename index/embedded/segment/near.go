package segment

import (
	"context"
	"math"
)

// A search compares at least this many vectors of a view exactly: the largest of
// roughLeast, one in roughShare, and roughTimes the limit.
const (
	roughLeast = 300
	roughShare = 40
	roughTimes = 5
)

// near ranks by cosine.
func (s *search) near(ctx context.Context) error {
	s.begin()
	for i, v := range s.views {
		if err := ctx.Err(); err != nil {
			return err
		}
		if v.vectors == 0 {
			continue
		}
		if want := max(roughLeast, roughTimes*s.query.Limit, v.vectors/roughShare); want < v.vectors {
			s.compareRoughly(i, want)
			continue
		}
		for vector := range v.vectors {
			s.compare(i, vector)
		}
	}
	return nil
}

// compare compares a vector exactly.
func (s *search) compare(view, vector int) {
	v := s.views[view]
	passage := int(at32(v.vectorOf, vector))
	if admitted := s.admitted[view]; admitted != nil && !admitted.has(passage) {
		return
	}
	score := v.cosine(vector, s.question, s.unit)
	if score >= s.best.floor(-math.MaxFloat32) {
		s.best.add(candidate{score: score, view: int32(view), passage: int32(passage), id: v.id(passage)})
	}
}

// compareRoughly finds the vectors of a view that are roughly the nearest, and
// compares only those exactly.
func (s *search) compareRoughly(view, want int) {
	v, admitted := s.views[view], s.admitted[view]
	s.planes = v.planesOf(s.query.Vector, s.planes[:0])
	s.sums = resize(s.sums, v.vectors)
	// The histogram counts the vectors by their sum above the least possible sum.
	least := roughLow * v.dimension
	s.histogram = resize(s.histogram, (roughHigh-roughLow)*v.dimension+1)
	clear(s.histogram)
	for vector := range v.vectors {
		if admitted != nil && !admitted.has(int(at32(v.vectorOf, vector))) {
			s.sums[vector] = math.MinInt32
			continue
		}
		sum := v.roughly(vector, s.planes) - least
		s.sums[vector] = int32(sum)
		s.histogram[sum]++
	}
	last, left := len(s.histogram)-1, want
	for last > 0 && s.histogram[last] <= left {
		left -= s.histogram[last]
		last--
	}
	// More vectors have the last sum than are still needed.
	for vector, sum := range s.sums {
		switch {
		case int(sum) > last:
			s.compare(view, vector)
		case int(sum) == last && left > 0:
			left--
			s.compare(view, vector)
		}
	}
}
