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
	enoughShare = 0.34
)

// convinces reports whether there is evidence enough that a section answers the question.
func (s *section) convinces() bool { return s.chance >= enoughChance }

// chance says how likely it is that a section answers the question, from 0 to 1: one that
// has some terms, of which some are in its heading.
func (w *weights) chance(all, headed uint64, focus, near float64) float64 {
	if !w.english {
		return enoughChance / enoughShare * w.share(all)
	}
	heading := focus * w.share(headed)
	return 1 / (1 + math.Exp(-(chanceOfTold*w.told(all) + chanceOfNear*near + chanceOfHeaded*heading + chanceOffset)))
}
