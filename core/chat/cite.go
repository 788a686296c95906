package chat

import (
	"strings"
	"unicode/utf8"

	"parley/core/retrieval"
)

// citations is the stage that lets only such citations through as hold. It
// writes every form of a marker that models use as "[n]", takes out a marker
// whose number was not in the prompt, and one behind a quotation that does not
// stand in the passage, and corrects it where another passage has the
// quotation. What is code, a link or escaped stays as it is.
//
// It holds back a "[" until it is decided, maxMarker bytes or, in what may be
// code, maxSpan bytes at most, with the spaces before it.
type citations struct {
	sources sources
	// refuted counts the citations that were taken out or corrected.
	refuted int

	marked map[int]bool
	held   string
	// carried are spaces before a marker that was taken out, for one that
	// follows it.
	carried string
	code    code
	quoted  quotation
	out     citedText
}

const (
	// maxRun is how long a run of one sign is looked at as a whole.
	maxRun = 64
	// maxSpaces is above how many spaces go with the marker behind them.
	maxSpaces = 16
)

// newCitations checks an answer that is given these passages, numbered from 1.
func newCitations(passages []retrieval.Result) *citations {
	return &citations{sources: sources{found: passages}, marked: map[int]bool{}, out: citedText{start: true}}
}

// cited reports whether the answer cites the passage with a number.
func (c *citations) cited(number int) bool { return c.marked[number] }

func (c *citations) add(found []retrieval.Result) { c.sources.add(found) }

func (c *citations) write(piece string) string {
	if text, spaces := c.plainPiece(piece); text != "" && c.out.passes(text) {
		c.code.pass(text)
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
func (c *citations) plainPiece(piece string) (text, spaces string) {
	if c.carried != "" || c.code.fenced() || strings.TrimLeft(c.held, " ") != "" {
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

func (c *citations) end() string {
	c.scan(c.held, true)
	c.held = ""
	c.out.write(c.carry())
	return c.out.take()
}

// scan returns the part of the text that cannot be decided yet.
func (c *citations) scan(text string, final bool) string {
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
func (c *citations) step(text string, final bool) int {
	if c.code.fenced() {
		return c.fencedLine(text, final)
	}
	switch sign := text[0]; sign {
	case '\n':
		c.plain("\n")
		return 1
	case '\\':
		return c.escape(text, final)
	case '`', '~':
		n := runLength(text, sign, maxRun)
		if n == len(text) && n < maxRun && !final {
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

// runLength is how often a text begins with a sign.
func runLength(text string, sign byte, most int) int {
	n := 0
	for n < len(text) && n < most && text[n] == sign {
		n++
	}
	return n
}

// spaces decides spaces, and a parenthesis behind them: they go with a marker
// that follows.
func (c *citations) spaces(text string, final bool) int {
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
func (c *citations) plain(text string) {
	c.out.write(c.carry())
	c.code.pass(text)
	c.quoted.feed(text)
	c.out.write(text)
	if text == "\n" && c.code.fenced() {
		c.quoted.forget()
	}
}

func (c *citations) carry() string {
	spaces := c.carried
	c.carried = ""
	return spaces
}

// escape passes a backslash on with what it escapes. In code it escapes
// nothing.
func (c *citations) escape(text string, final bool) int {
	if len(text) == 1 && !final {
		return 0
	}
	n := 1
	if c.code.open == 0 && len(text) > 1 && text[1] != '\n' {
		_, size := utf8.DecodeRuneInString(text[1:])
		n += size
	}
	c.plain(text[:n])
	return n
}

// ticks passes on signs that may begin or end code.
func (c *citations) ticks(signs string) {
	prefix, start := c.out.prefix()
	c.code.signs(signs, prefix, start)
	c.out.write(c.carry())
	c.quoted.feed(signs)
	c.out.write(signs)
	if c.code.fenced() {
		c.quoted.forget()
	}
}

// fencedLine passes on a line of a block of code, or as much as there is.
func (c *citations) fencedLine(text string, final bool) int {
	n, verdict := c.code.line(text, final)
	switch verdict {
	case wait:
		return 0
	case prose: // the list or quotation that the block stands in has ended
		return c.step(text, final)
	}
	c.out.verbatim(text[:n])
	return n
}

// bracket decides what begins with a bracket, behind spaces.
func (c *citations) bracket(spaces, text string, final bool) int {
	switch n, verdict := c.code.ahead(text, final); verdict {
	case wait:
		return 0
	case isCode:
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
	c.marker(c.carry()+spaces, m)
	return len(spaces) + m.length
}
