// Package citation checks what an answer cites: the numbers in its markers, and
// whether a quotation stands in the passage that the marker behind it names.
//
// It does not own which passages an answer is made from (package core/answer).
package citation

import "parley/text/passage"

// Stage lets only those markers through that hold. It writes every form of a
// marker that models use as "[n]". It takes out a marker whose number no passage
// has. It also takes out a marker behind a quotation that the passage
// does not have, or corrects it if another passage has the quotation. Code,
// links and escaped text stay as they are.
type Stage struct{ scanner scanner }

// New checks an answer that is made from these passages, numbered from 1.
func New(passages []passage.Passage) *Stage {
	return &Stage{scanner{sources: sources{found: passages}, marked: map[int]bool{}, out: citedText{start: true}}}
}

// Write takes a piece of the answer and returns what may go on.
func (s *Stage) Write(piece string) string { return s.scanner.write(piece) }

// End takes the last piece and returns all that is left to go on.
func (s *Stage) End(last string) string { return s.scanner.write(last) + s.scanner.end() }

// Cut is End for an answer that breaks off.
func (s *Stage) Cut(last string) string { return s.End(last) }

// Add tells the stage about passages that the model was given in addition. Their numbers
// continue where the earlier passages' numbers end.
func (s *Stage) Add(passages []passage.Passage) { s.scanner.sources.add(passages) }

// Cites reports whether the answer cites the passage with a number.
func (s *Stage) Cites(number int) bool { return s.scanner.marked[number] }

// Refuted counts the markers that were taken out or corrected.
func (s *Stage) Refuted() int { return s.scanner.refuted }

// Strip returns an answer without its markers.
func Strip(answer string) string {
	if !hasBracket(answer) {
		return answer
	}
	return New(nil).End(answer)
}
