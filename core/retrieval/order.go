package retrieval

import (
	"math"
	"slices"

	"parley/text/encode"
)

// leaders are how many of the first passages lend the question their direction.
const leaders = 2

// candidates are hits that are put in order by their encodings.
type candidates struct {
	all    []candidate
	tuning Tuning
	// share is what a gain of one adds to a score.
	share float64
}

type candidate struct {
	hit *Hit
	// found is its score before.
	found float64
	// encoding is the passage's encoding, or nil if it has none.
	encoding encode.Encoding
	// direction is the unit vector of a passage and its parts, or nil where it has none.
	direction []float32
	// near is the cosine to the compared candidate.
	near float64
}

// order puts hits, which are in order, in an order by their encodings, too: by how near they
// are to the question, and then, but for the first, by how near to it with a share of those
// that came first. The scores stay where they are.
func (s *Searcher) order(hits []*Hit, question []float32, encodings map[int64]encode.Encoding, byMeaning bool) {
	if len(hits) == 0 {
		return
	}
	c := candidates{all: make([]candidate, len(hits)), tuning: s.tuning, share: 1}
	if !byMeaning { // then scores are by words alone, and not shares of the best
		c.share, c.tuning.Meaning = hits[0].Score, 0
	}
	scores := make([]float64, len(hits))
	for i, hit := range hits {
		scores[i] = hit.Score
		c.all[i] = candidate{hit: hit, found: hit.Score}
		if cosine, ok := encodings[hit.PassageID].Cosine(question); ok {
			hit.Closeness = cosine
			c.all[i].encode(encodings[hit.PassageID], cosine, question, s.tuning.Parts)
		}
	}
	c.rank()
	c.compare(c.leaning(question))
	c.all[0].found = math.Inf(1) // it leads, and is not led by the second
	c.rank()
	for i, candidate := range c.all {
		hits[i] = candidate.hit
		hits[i].Score = scores[i]
	}
}

// encode gives a candidate its encoding, of which the whole has that cosine to the question.
func (c *candidate) encode(encoding encode.Encoding, cosine float64, question []float32, parts float64) {
	c.encoding, c.near = encoding, cosine
	if encoding.HasParts(len(question)) {
		c.direction = encoding.Direction(len(question), parts)
		c.near = float64(encode.Product(c.direction, question))
	}
}

// compare measures how near the candidates are to a unit vector.
func (c candidates) compare(with []float32) {
	for i, candidate := range c.all {
		switch {
		case candidate.direction != nil:
			c.all[i].near = float64(encode.Product(candidate.direction, with))
		case candidate.encoding != nil:
			c.all[i].near, _ = candidate.encoding.Cosine(with)
		}
	}
}

// rank sorts by the scores of before, and by how much nearer than the mean a candidate is,
// without how much nearer than the mean its hit's vector is. Hits without an encoding gain
// nothing.
func (c candidates) rank() {
	mean, known := 0.0, 0
	for _, candidate := range c.all {
		if candidate.encoding != nil {
			mean, known = mean+c.gain(candidate), known+1
		}
	}
	mean /= max(1, float64(known))
	for _, candidate := range c.all {
		candidate.hit.Score = candidate.found
		if candidate.encoding != nil {
			candidate.hit.Score += c.share * (c.gain(candidate) - mean)
		}
	}
	slices.SortFunc(c.all, func(a, b candidate) int { return byScore(a.hit, b.hit) })
}

func (c candidates) gain(of candidate) float64 {
	return c.tuning.Encoded*of.near - c.tuning.Meaning*of.hit.Similarity
}

// leaning moves the question vector toward the top passages (Rocchio).
func (c candidates) leaning(question []float32) []float32 {
	first := make([]float32, len(question))
	left := leaders
	for _, candidate := range c.all {
		if candidate.encoding == nil || left == 0 {
			continue
		}
		left--
		if candidate.direction != nil {
			encode.Add(first, candidate.direction, 1)
		} else {
			candidate.encoding.AddTo(first)
		}
	}
	encode.ToUnit(first)
	leaning := slices.Clone(question)
	encode.Add(leaning, first, float32(c.tuning.Leading))
	encode.ToUnit(leaning)
	return leaning
}
