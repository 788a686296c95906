package quote

import "math"

// The chance that a section answers a question is logistic in three shares: how much of
// what the question's words tell the section has, how near its nearest unit's meaning is
// to the question's, and how much of the question its heading is. Where the passage has an
// encoding, how close that is to the question's counts, too. lab/notebook has the
// questions that these were fitted to, and those that they were measured on.
const (
	chanceOfTold    = 4.1
	chanceOfNear    = 5.0
	chanceOfHeaded  = 3.1
	chanceOffset    = -4.9
	encodedOfTold   = 5.4
	encodedOfNear   = 2.0
	encodedOfHeaded = 1.7
	encodedOfClose  = 26.0
	encodedOffset   = -5
	// manyPassages is from how many passages on closeness counts as it does among any number.
	manyPassages = 100
	// mostForFew is what ten passages or fewer add to the offset.
	mostForFew = 2
	// farOff is the closeness that passages about anything have.
	farOff = 0.58

	// enoughChance is the chance below which nothing is quoted.
	enoughChance = 0.3
	// enoughShare is the share of the question's weight that a section must have in
	// other languages than English: the table of words does not know them.
	enoughShare = 0.21
	// enoughPairs is that share where the words are pairs of characters, many of which are
	// grammar.
	enoughPairs = 0.1
	// titleCounts is what a title counts beside the section's own heading.
	titleCounts = 0.7
)

// convinces reports whether there is evidence enough that a section answers the question.
func (s *section) convinces() bool { return s.chance >= enoughChance }

// chance says how likely it is that a section answers the question, from 0 to 1: one that
// has some terms, with a heading that is so much of the question, so near a unit, and an
// encoding so close, or none. In other languages than English it may be more than 1.
func (w *weights) chance(all uint64, heading, near, closeness float64) float64 {
	switch {
	case w.pairs:
		return enoughChance / enoughPairs * w.share(all)
	case !w.english:
		return enoughChance / enoughShare * w.share(all)
	}
	if closeness == 0 {
		return logistic(chanceOfTold*w.told(all) + chanceOfNear*near + chanceOfHeaded*heading + chanceOffset)
	}
	return logistic(encodedOfTold*w.told(all) + encodedOfNear*near + encodedOfHeaded*heading + encodedOfClose*max(0, closeness-farOff) + encodedOffset + fewCompared(w.compared))
}

// fewCompared returns what a small number of passages adds to the offset: the closest of
// ten passages is less likely to be close by chance than the closest of many, and there may
// be no other passage with the answer.
func fewCompared(passages int) float64 {
	if passages == 0 || passages >= manyPassages {
		return 0
	}
	return min(mostForFew, mostForFew*math.Log10(manyPassages/float64(passages)))
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
