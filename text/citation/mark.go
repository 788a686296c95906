package citation

import (
	"unicode/utf8"

	"parley/text/passage"
)

// Mark is a marker in an answer that was checked.
type Mark struct {
	// Number is the passage's, from 1.
	Number int
	// Start and End are characters of the answer, End excluded.
	Start, End int
}

// Marks returns the markers of an answer that was checked, which was made from so
// many passages. What only looks like a marker, in code or in a link, is none.
func Marks(answer string, passages int) (marks []Mark) {
	if passages == 0 || !hasBracket(answer) {
		return nil
	}
	at, counted, characters := 0, 0, 0
	c := scanner{sources: sources{found: make([]passage.Passage, passages)}, marked: map[int]bool{}, out: citedText{start: true}}
	c.noted = func(spaces int, m marker) {
		if len(m.ranges) != 1 || m.ranges[0].first != m.ranges[0].last || m.ranges[0].first < 1 || m.ranges[0].first > passages {
			return
		}
		start := at + spaces
		characters += utf8.RuneCountInString(answer[counted:start])
		counted = start
		marks = append(marks, Mark{Number: m.ranges[0].first, Start: characters, End: characters + utf8.RuneCountInString(answer[start:start+m.length])})
	}
	for at < len(answer) {
		n := c.step(answer[at:], true)
		if n == 0 {
			break
		}
		at += n
	}
	return marks
}
