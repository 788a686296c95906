package chat

import (
	"parley/core/retrieval"
)

// Grounded is an answer as it comes out of strict grounding.
type Grounded struct {
	// Text is what a reader gets: the owner's text if Replaced.
	Text     string
	Replaced bool
	// Units counts the sentences, headings, rows and blocks of code of the
	// answer, and Dropped those that were left out.
	Units, Dropped int
}

// Ground checks a whole answer to a question as a strict chatbot's is, at a
// threshold from 0 to 1, or zero for the one in force. It is there to measure
// the check.
func Ground(question, answer string, passages []retrieval.Result, noAnswer string, threshold float64) Grounded {
	if threshold == 0 {
		threshold = supportThreshold
	}
	g := groundingAt(threshold, passages, noAnswer)
	g.allow(question)
	text := g.write(answer)
	text += g.end()
	return Grounded{Text: text, Replaced: g.replaced, Units: g.units, Dropped: g.dropped}
}
