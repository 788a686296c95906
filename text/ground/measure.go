package ground

import "parley/text/passage"

// Measured is an answer as it comes out of strict grounding.
type Measured struct {
	// Text is what a reader gets: the owner's text if Replaced.
	Text     string
	Replaced bool
	// Units counts the sentences, headings, rows and blocks of code of the
	// answer, and Dropped those that were left out.
	Units, Dropped int
}

// Measure checks a whole answer to a question like a strict chatbot's, at a
// threshold from 0 to 1, or zero for the one in force. It serves to measure the
// check.
func Measure(question, answer string, passages []passage.Passage, noAnswer string, threshold float64) Measured {
	if threshold == 0 {
		threshold = supportThreshold
	}
	g := newAt(threshold, passages, noAnswer, question)
	text := g.End(answer)
	return Measured{Text: text, Replaced: g.replaced, Units: g.units, Dropped: g.dropped}
}
