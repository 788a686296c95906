package quote

import (
	"math"
	"math/bits"
)

// weights says how much each term of a question tells.
type weights struct {
	// each falls with the number of passages that have the term, and total is the sum.
	each  []float64
	total float64
	terms *terms
	// asked are the terms that an answer has to have.
	asked   uint64
	english bool
	// pairs says that the question is in a language without spaces.
	pairs bool
	// compared is how many passages the search compared with the question: see [Passage.Compared].
	compared int
}

// weigh weighs each term by the inverse of the number of passages that contain it
// (Spärck Jones, 1972), smoothed because there are few.
func weigh(terms *terms, sections []section, passages int) *weights {
	occurs := make([]uint64, passages)
	for i := range sections {
		occurs[sections[i].passage] |= sections[i].all()
	}
	w := &weights{each: make([]float64, len(terms.weights)), terms: terms, asked: terms.asked, english: !terms.inflected, pairs: terms.lang.Unspaced()}
	for term := range w.each {
		count := 0
		for _, passage := range occurs {
			count += int(passage >> term & 1)
		}
		w.each[term] = terms.weights[term] * math.Log1p(float64(passages+1)/float64(count+1))
		w.total += w.each[term]
	}
	return w
}

// sum is the weight of terms together.
func (w *weights) sum(terms uint64) float64 {
	total := 0.0
	for ; terms != 0; terms &= terms - 1 {
		total += w.each[bits.TrailingZeros64(terms)]
	}
	return total
}

// told is the share of what the asked terms tell that some of them tell.
func (w *weights) told(some uint64) float64 {
	if w.terms.told(^uint64(0)) == 0 { // words that the table lacks
		return w.share(some)
	}
	return w.terms.told(some)
}

// share is the share of the asked terms' weight that some of them have.
func (w *weights) share(terms uint64) float64 { return w.sum(terms&w.asked) / w.sum(w.asked) }
