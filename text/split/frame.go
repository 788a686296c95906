package split

import (
	"strings"
)

// frame is what the pieces of a cut table or code block repeat.
type frame struct {
	// start and end are where the block starts and ends.
	start, end int
	// head is the header of the table or the opening fence, foot the closing
	// fence. Both may be empty.
	head, foot string
	// tokens is the size of both.
	tokens, footTokens int
}

// framed returns the lines of a table or code block that is too long.
func (s *splitter) framed(dst []unit, b block) []unit {
	f, cuts := &frame{start: b.start, end: b.end}, rowCuts
	var body int
	if b.shape == code {
		cuts = codeCuts
		body, f.head, f.foot = fences(s.src, b)
		f.footTokens = s.count("\n" + f.foot)
	} else {
		body, f.head = header(s.src, b)
	}
	// The head in the source may have the mark of an item that is not repeated.
	opening := s.size(s.src[b.start:body])
	f.tokens = max(opening, s.size(f.head)) + f.footTokens
	if f.tokens > s.aim/2 { // Too long to repeat: it stays where it was.
		return s.cut(dst, b.start, b.end, cuts, s.limit-joint, nil)
	}
	first := len(dst)
	dst = s.cut(dst, body, b.end, cuts, s.limit-joint-f.tokens, f)
	if len(dst) == first {
		return append(dst, unit{start: b.start, end: b.end, tokens: opening})
	}
	// What is repeated for the others is in the source for the first.
	dst[first].start = b.start
	dst[first].tokens += opening
	return dst
}

// header parts a table into its first two lines and what is behind them.
func header(src string, b block) (body int, head string) {
	first := lineEnd(src, b.start+1)
	body = min(lineEnd(src, min(first+1, b.end)), b.end)
	return body, src[b.start:body]
}

// fences parts a fenced code block into its opening fence and what is behind
// it. The fences that are repeated keep the marks of quotes around the code,
// and leave out the mark of a list item in front of it.
func fences(src string, b block) (body int, head, foot string) {
	body = min(lineEnd(src, b.start+1), b.end)
	opening := src[b.start:body]
	at := strings.IndexAny(opening, "`~")
	if at < 0 {
		return b.start, "", ""
	}
	margin := strings.Map(func(r rune) rune {
		if r == '>' || r == '\t' {
			return r
		}
		return ' '
	}, opening[:at])
	rest := strings.TrimLeft(opening[at:], opening[at:at+1])
	mark := opening[at : len(opening)-len(rest)]
	return body, margin + opening[at:], margin + mark
}
