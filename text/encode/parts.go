package encode

import (
	"strings"

	"parley/text/block"
	"parley/text/fence"
)

// Part is a piece of a passage's text, which is encoded by itself, too: a passage may have
// several subjects.
type Part struct {
	// Start and End are bytes of the text, End excluded.
	Start, End int
	// Closeness is how close the part's vector is to a question's, as the cosine of their
	// angle, or zero where that is not known.
	Closeness float64
}

const (
	// leastHeaded is how long, in bytes, a part is before a heading begins another one,
	// and leastBlock before a paragraph, a list or a table does.
	leastHeaded = 60
	leastBlock  = 350
	// mostParts is about how many parts a passage has at most.
	mostParts = 12
)

// PartsOf divides the text of a passage at its headings, and at paragraphs where what
// stands under one is long. A text that is one part has none.
func PartsOf(text string) []Part {
	var parts []Part
	headed, long := max(leastHeaded, len(text)/mostParts), max(leastBlock, len(text)/mostParts)
	var code fence.Lines
	empty, start := false, 0
	for at := 0; at < len(text); at = block.LineEnd(text, at) {
		line := strings.TrimSpace(text[at:block.LineEnd(text, at)])
		size := at - start
		within := code.Open()
		code.Code(line)
		if !within && (size >= headed && block.IsATX(line) || size >= long && empty && line != "") {
			parts = append(parts, Part{Start: start, End: at})
			start = at
		}
		empty = line == ""
	}
	if len(parts) == 0 {
		return nil
	}
	if len(text)-start < leastHeaded {
		parts[len(parts)-1].End = len(text)
		return parts
	}
	return append(parts, Part{Start: start, End: len(text)})
}
