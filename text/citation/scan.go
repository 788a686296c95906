package citation

import (
	"strings"
	"unicode/utf8"

	"parley/text/fence"
)

// scanner reads an answer in pieces. It holds back a "[" until it is decided,
// maxMarker bytes or, in what may be code, fence.MaxSpan bytes at most, with the
// spaces before it.
type scanner struct {
	sources sources
	// refuted counts the markers that were taken out or corrected.
	refuted int

	marked map[int]bool
	held   string
	// carried are spaces before a marker that was taken out, for one that
	// follows it.
	carried string
	code    fence.Code
	quoted  quotation
	out     citedText
	// noted, unless nil, is called with each marker and how many spaces stand before it.
	noted func(spaces int, m marker)
}

// maxSpaces is above how many spaces go with the marker behind them.
const maxSpaces = 16

func (c *scanner) write(piece string) string {
	if text, spaces := c.plainPiece(piece); text != "" && c.out.passes(text) {
		c.code.Pass(text)
		c.quoted.feed(text)
		c.held = spaces
		return text
	}
	c.held = c.scan(c.held+piece, false)
	return c.out.take()
}

// plainPiece returns what is held and a piece, without the spaces behind them,
// if there is nothing to decide in it, as in most pieces. It is a short cut:
// without it the same would come out.
func (c *scanner) plainPiece(piece string) (text, spaces string) {
	if c.carried != "" || c.code.Fenced() || strings.TrimLeft(c.held, " ") != "" {
		return "", ""
	}
	for i := range len(piece) {
		if mayDecide[piece[i]] {
			return "", ""
		}
	}
	text = strings.TrimRight(piece, " ")
	if spaces = piece[len(text):]; text == "" || len(spaces) >= maxSpaces || len(c.held) >= maxSpaces {
		return "", ""
	}
	if c.held != "" {
		text = c.held + text
	}
	return text, spaces
}

// mayDecide has the first bytes of all that step looks at, but for the space.
var mayDecide = func() (table [256]bool) {
	for _, sign := range []string{"\n", "\t", "\\", "`", "~", "(", "[", "［", "【"} {
		table[sign[0]] = true
	}
	return table
}()

func (c *scanner) end() string {
	c.scan(c.held, true)
	c.held = ""
	c.out.write(c.carry())
	return c.out.take()
}

// scan returns the part of the text that cannot be decided yet.
func (c *scanner) scan(text string, final bool) string {
	for text != "" {
		n := c.step(text, final)
		if n == 0 {
			break
		}
		text = text[n:]
	}
	return text
}

// step decides the beginning of a text and returns its length, or zero if that
// takes more text. It looks no further than the limits, so that pieces cut
// anywhere come out alike.
func (c *scanner) step(text string, final bool) int {
	if c.code.Fenced() {
		return c.fencedLine(text, final)
	}
	switch sign := text[0]; sign {
	case '\n':
		c.plain("\n")
		return 1
	case '\\':
		return c.escape(text, final)
	case '`', '~':
		n := fence.RunLength(text, sign, fence.MaxRun)
		if n == len(text) && n < fence.MaxRun && !final {
			return 0
		}
		c.ticks(text[:n])
		return n
	case ' ', '\t', '(':
		return c.spaces(text, final)
	}
	if opens(text) {
		return c.bracket("", text, final)
	}
	n := undecided(text)
	c.plain(text[:n])
	return n
}

// undecided is how much of a text there is before anything that step looks at,
// the spaces before that not counted. The text begins with neither.
func undecided(text string) int {
	n := 1
	for n < len(text) && (!mayDecide[text[n]] || text[n] >= utf8.RuneSelf && !opens(text[n:])) {
		n++
	}
	return len(strings.TrimRight(text[:n], " "))
}

// spaces decides spaces, and a parenthesis behind them: they go with a marker
// that follows.
func (c *scanner) spaces(text string, final bool) int {
	n := 0
	for n < len(text) && n < maxSpaces && (text[n] == ' ' || text[n] == '\t') {
		n++
	}
	if n == maxSpaces {
		c.plain(text[:n])
		return n
	}
	if n < len(text) && text[n] == '(' {
		n++
	}
	if n == len(text) && !final {
		return 0
	}
	if n < len(text) && opens(text[n:]) {
		return c.bracket(text[:n], text[n:], final)
	}
	c.plain(text[:n])
	return n
}

// plain passes text on.
func (c *scanner) plain(text string) {
	c.out.write(c.carry())
	c.code.Pass(text)
	c.quoted.feed(text)
	c.out.write(text)
	if text == "\n" && c.code.Fenced() {
		c.quoted.forget()
	}
}

func (c *scanner) carry() string {
	spaces := c.carried
	c.carried = ""
	return spaces
}

// escape passes a backslash on with what it escapes. In code it escapes
// nothing.
func (c *scanner) escape(text string, final bool) int {
	if len(text) == 1 && !final {
		return 0
	}
	n := 1
	if !c.code.InSpan() && len(text) > 1 && text[1] != '\n' {
		_, size := utf8.DecodeRuneInString(text[1:])
		n += size
	}
	c.plain(text[:n])
	return n
}

// ticks passes on signs that may begin or end code.
func (c *scanner) ticks(signs string) {
	prefix, start := c.out.prefix()
	c.code.Signs(signs, prefix, start)
	c.out.write(c.carry())
	c.quoted.feed(signs)
	c.out.write(signs)
	if c.code.Fenced() {
		c.quoted.forget()
	}
}

// fencedLine passes on a line of a block of code, or as much as there is.
func (c *scanner) fencedLine(text string, final bool) int {
	n, verdict := c.code.Line(text, final)
	switch verdict {
	case fence.Wait:
		return 0
	case fence.Prose: // the list or quotation that the block stands in has ended
		return c.step(text, final)
	}
	c.out.verbatim(text[:n])
	return n
}

// bracket decides what begins with a bracket, behind spaces.
func (c *scanner) bracket(spaces, text string, final bool) int {
	switch n, verdict := c.code.Ahead(text, final); verdict {
	case fence.Wait:
		return 0
	case fence.IsCode:
		c.plain(spaces)
		c.quoted.feed(text[:n])
		c.out.write(c.carry())
		c.out.verbatim(text[:n])
		return len(spaces) + n
	}
	m, verdict := markerOf(text, final)
	if verdict == wait {
		return 0
	}
	if verdict != isMarker {
		_, size := utf8.DecodeRuneInString(text)
		c.plain(spaces + text[:size])
		return len(spaces) + size
	}
	if c.noted != nil {
		c.noted(len(spaces), m)
	}
	c.marker(c.carry()+spaces, m)
	return len(spaces) + m.length
}
