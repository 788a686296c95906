package retrieval

import "slices"

// The constants of the order by encodings. docs/retrieval.md has what others give.
const (
	// encodedWeight is what a cosine counts.
	encodedWeight = 3.5
	// partsWeight is what the mean of the vectors of a passage's parts counts in its
	// direction, beside that of the whole, of which only the beginning was read.
	partsWeight = 0.5
	// leaders are how many of the first passages lend the question their direction, which
	// counts leadersWeight (pseudo-relevance feedback, as by Rocchio, 1971).
	leaders       = 2
	leadersWeight = 0.4
)

// candidates are hits that are put in order by their encodings.
type candidates struct {
	all []candidate
	// share is what a gain of one adds to a score, and meaning what the cosine of a
	// hit's vector counts in it.
	share, meaning float64
}

type candidate struct {
	hit *Hit
	// found is its score before.
	found float64
	// direction is the unit vector of the passage, or nil where it has no encoding.
	direction []float32
}

// order puts hits, which are in order, in an order by their encodings, too: by how near they
// are to the question, and then by how near to it with a share of those that came first. The
// scores stay where they are.
func (s *Searcher) order(hits []*Hit, question []float32, encodings map[int64]Encoding, byMeaning bool) {
	if len(hits) == 0 {
		return
	}
	c := candidates{all: make([]candidate, len(hits)), share: 1, meaning: s.tuning.Meaning}
	if !byMeaning { // then scores are by words alone, and not shares of the best
		c.share, c.meaning = hits[0].Score, 0
	}
	scores := make([]float64, len(hits))
	for i, hit := range hits {
		scores[i] = hit.Score
		c.all[i] = candidate{hit: hit, found: hit.Score}
		if cosine, ok := encodings[hit.PassageID].cosine(question); ok {
			hit.Closeness, c.all[i].direction = cosine, encodings[hit.PassageID].direction(len(question))
		}
	}
	c.rank(question)
	c.rank(c.leaning(question))
	for i, candidate := range c.all {
		hits[i] = candidate.hit
		hits[i].Score = scores[i]
	}
}

// rank sorts by the scores of before, and by how much nearer to the question than the mean
// a direction is, without how much nearer than the mean the hit's vector is. Hits without an
// encoding gain nothing.
func (c candidates) rank(question []float32) {
	gains := make([]float64, len(c.all))
	mean, known := 0.0, 0
	for i, candidate := range c.all {
		if candidate.direction != nil {
			gains[i] = encodedWeight*float64(product(candidate.direction, question)) - c.meaning*candidate.hit.Similarity
			mean, known = mean+gains[i], known+1
		}
	}
	mean /= max(1, float64(known))
	for i, candidate := range c.all {
		candidate.hit.Score = candidate.found
		if candidate.direction != nil {
			candidate.hit.Score += c.share * (gains[i] - mean)
		}
	}
	slices.SortFunc(c.all, func(a, b candidate) int { return byScore(a.hit, b.hit) })
}

// leaning returns the question's direction with a share of that of the first passages.
func (c candidates) leaning(question []float32) []float32 {
	first := make([]float32, len(question))
	left := leaders
	for _, candidate := range c.all {
		if candidate.direction != nil && left > 0 {
			add(first, candidate.direction, 1)
			left--
		}
	}
	toUnit(first)
	leaning := slices.Clone(question)
	add(leaning, first, leadersWeight)
	toUnit(leaning)
	return leaning
}

// direction returns the unit vector of a passage: that of its encoding, and with a share of
// those of its parts, if it has any.
func (e Encoding) direction(width int) []float32 {
	sum := make([]float32, width)
	addAt(sum, e[1:], 1)
	parts := (len(e) - encodingHead - width) / (partHead + width)
	for part := range parts {
		addAt(sum, e[encodingHead+width+part*(partHead+width)+8:], partsWeight/float32(parts))
	}
	toUnit(sum)
	return sum
}

// addAt adds so many times the vector that begins with what a number of one stands for.
func addAt(sum []float32, e []byte, times float32) {
	times *= stepOf(e)
	for i, x := range e[4 : 4+len(sum)] {
		sum[i] += times * float32(int8(x))
	}
}
