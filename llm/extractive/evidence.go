package extractive

import "math"

// The chance that a section answers a question is logistic in three shares: how much of
// what the question's words tell the section has, how near its nearest unit's meaning is
// to the question's, and how much of the question its heading is. docs/answers.md has the
// questions that these were fitted to, and those that they were measured on.
const (
	chanceOfTold   = 4.1
	chanceOfNear   = 5.0
	chanceOfHeaded = 3.1
	chanceOffset   = -4.9
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
// has some terms, with a heading that is so much of the question, and so near a unit. In
// other languages than English it may be more than 1.
func (w *weights) chance(all uint64, heading, near float64) float64 {
	switch {
	case w.pairs:
		return enoughChance / enoughPairs * w.share(all)
	case !w.english:
		return enoughChance / enoughShare * w.share(all)
	}
	return 1 / (1 + math.Exp(-(chanceOfTold*w.told(all) + chanceOfNear*near + chanceOfHeaded*heading + chanceOffset)))
}
