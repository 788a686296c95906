package retrieval

import "parley/text/lexical"

// Tuning holds the constants of the ranking that questions with judgments choose.
type Tuning struct {
	// Weights say what terms of a question count.
	lexical.Weights
	// Lead and LeadHalf are for words near the beginning of a passage: at LeadHalf
	// terms from it a word counts half.
	Lead, LeadHalf float64
	// Near and NearHalf are for words near one another, saturating at NearHalf.
	Near, NearHalf float64
	// Meaning is what a cosine counts where one of zero means nothing in common.
	Meaning float64
	// Context is what earlier questions count for the direction.
	Context float64
	// Encoded is what a cosine to the encoding of a passage counts.
	Encoded float64
	// Parts is the weight of the mean of the part vectors in a passage's direction. The
	// vector of the whole passage has the weight one, but covers only its beginning.
	Parts float64
	// Leading is what the direction of the passages that lead counts beside the question's
	// (pseudo-relevance feedback; Rocchio, 1971).
	Leading float64
}

// Chosen are the constants in use. lab/notebook has what each gives on the
// sets of questions that it was not chosen on.
var Chosen = Tuning{
	Weights: lexical.Chosen,
	Lead:    1, LeadHalf: 8,
	Near: 1, NearHalf: 6,
	Meaning: 1.25, Context: 0.15,
	Encoded: 3.5, Parts: 0.35, Leading: 0.3,
}

// Tune makes the searcher rank by other constants than the chosen ones, to
// measure them. No search may run meanwhile.
func (s *Searcher) Tune(tuning Tuning) { s.tuning = tuning }
