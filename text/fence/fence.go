// Package fence distinguishes code from prose in Markdown, whole or as it arrives in pieces.
package fence

import "strings"

const (
	// MaxSpan is how far ahead on a line [Code.Ahead] looks for the end of code.
	MaxSpan = 128
	// MaxRun is the longest run of one sign that is examined.
	MaxRun = 64
)

// Verdict says whether a text is code.
type Verdict int

const (
	// Prose is text that is not code.
	Prose Verdict = iota
	// Wait says that more text is needed to decide.
	Wait
	// IsCode says that the text is code.
	IsCode
)

// Code tracks what is code in Markdown (CommonMark 0.31, 4.5 and 6.1): blocks between
// fences, and spans within a line. It ignores spans that continue on the next line, and
// indented code.
type Code struct {
	// open is the length of the run of backticks that opened a span on this line,
	// or zero.
	open int
	// info says that the run opens a block, unless another follows on the line.
	info bool
	// fence is the sign of the block's fence and length the length of its run;
	// outside of blocks length is zero.
	fence  byte
	length int
	// within is the prefix of the fence's line: the marks of the lists and quotations around it.
	within string
	// begun says that a line of the block has started, and signsSeen how many signs
	// of a fence it has so far; below zero it is not a fence.
	begun     bool
	signsSeen int
	trailing  bool
}

// Fenced reports whether the text is within a block of code.
func (c *Code) Fenced() bool { return c.length > 0 }

// InSpan reports whether a run of backticks is open on the line.
func (c *Code) InSpan() bool { return c.open > 0 }

// Open starts a block whose fence line is still being read, inside the lists and
// quotations of a prefix.
func (c *Code) Open(sign byte, length int, prefix string) {
	c.within = prefix
	c.begin(sign, length)
	c.begun, c.signsSeen = true, -1 // the rest of the line is not a fence
}

// Pass consumes text without backticks and tildes.
func (c *Code) Pass(text string) {
	if text != "\n" {
		return
	}
	if c.info {
		c.begin('`', c.open)
	}
	c.open, c.info = 0, false
}

func (c *Code) begin(fence byte, length int) {
	c.fence, c.length = fence, length
	c.begun, c.signsSeen, c.trailing = false, 0, false
}

// Signs consumes a run of backticks or tildes after the prefix of a line, or after other
// text.
func (c *Code) Signs(signs, prefix string, start bool) {
	fence := start && len(signs) >= 3 && IsContainer(prefix)
	if fence {
		c.within = prefix
	}
	switch {
	case signs[0] == '~':
		if fence {
			c.begin('~', len(signs))
			c.begun, c.signsSeen = true, -1 // the rest of the line is its info
		}
	case c.open == 0:
		c.open, c.info = len(signs), fence
	case c.open == len(signs):
		c.open, c.info = 0, false
	default:
		c.info = false
	}
}

// IsContainer reports whether the beginning of a line consists of quotations and list
// items.
func IsContainer(prefix string) bool {
	for _, word := range strings.Fields(strings.ReplaceAll(prefix, ">", " ")) {
		digits := strings.TrimRight(word, ".)")
		bullet := word == "-" || word == "*" || word == "+"
		if !bullet && (len(word) != len(digits)+1 || digits == "" || strings.Trim(digits, "0123456789") != "") {
			return false
		}
	}
	return prefix == "" || strings.HasSuffix(prefix, " ") || strings.HasSuffix(prefix, "\t") || strings.HasSuffix(prefix, ">")
}

// Line consumes the next part of a block of code: the rest of its line, or as much as
// there is. It is Prose if the quotation or the item around the block has ended, and
// the block with it.
func (c *Code) Line(text string, final bool) (int, Verdict) {
	if !c.begun {
		switch ended, decided := c.left(text); {
		case !decided && !final && len(text) < MaxRun:
			return 0, Wait
		case ended:
			c.length = 0
			return 0, Prose
		}
		c.begun = true
	}
	for i := range len(text) {
		if text[i] == '\n' {
			c.endLine()
			return i + 1, IsCode
		}
		c.follow(text[i])
	}
	if final {
		c.endLine()
	}
	return len(text), IsCode
}

func (c *Code) follow(sign byte) {
	space := sign == ' ' || sign == '\t' || sign == '>' && c.signsSeen == 0
	switch {
	case c.signsSeen < 0:
	case space:
		c.trailing = c.signsSeen > 0
	case sign == c.fence && !c.trailing:
		c.signsSeen++
	default:
		c.signsSeen = -1
	}
}

func (c *Code) endLine() {
	if c.signsSeen >= c.length {
		c.length = 0
	}
	c.begun, c.signsSeen, c.trailing = false, 0, false
}

// left reports whether a line is outside of the fence's container.
func (c *Code) left(line string) (ended, decided bool) {
	rest := strings.TrimLeft(line, " \t")
	if rest == "" && line != "" && len(line) < MaxRun {
		return false, false
	}
	if strings.Contains(c.within, ">") {
		return !strings.HasPrefix(rest, ">"), true
	}
	if strings.Trim(c.within, " \t") == "" || strings.HasPrefix(rest, "\n") {
		return false, true
	}
	return len(line)-len(rest) < len(c.within), true
}

// Ahead decides whether the text after a bracket, up to the returned length, is code,
// if a span or a block may have been opened on the line.
func (c *Code) Ahead(text string, final bool) (int, Verdict) {
	if c.open == 0 {
		return 0, Prose
	}
	window := text[:min(len(text), MaxSpan)]
	for i := 0; i < len(window); {
		switch window[i] {
		case '\n':
			if c.info {
				return i, IsCode
			}
			return 0, Prose
		case '`':
			n := RunLength(window[i:], '`', MaxRun)
			if i+n == len(window) && n < c.open+1 && len(window) < MaxSpan && !final {
				return 0, Wait
			}
			if n == c.open {
				return i, IsCode
			}
			if c.info { // it does not open a block
				return 0, Prose
			}
			i += n
		default:
			i++
		}
	}
	if final || len(window) == MaxSpan {
		return 0, Prose
	}
	return 0, Wait
}

// RunLength returns how often a text starts with a sign, at most limit.
func RunLength(text string, sign byte, limit int) int {
	n := 0
	for n < len(text) && n < limit && text[n] == sign {
		n++
	}
	return n
}

// Of returns the run of backticks or tildes with which a line opens a block of code, whatever
// quotations the line stands in, or nothing.
func Of(line string) string {
	line = strings.TrimLeft(line, " \t>")
	if line == "" || line[0] != '`' && line[0] != '~' {
		return ""
	}
	run := line[:RunLength(line, line[0], len(line))]
	if len(run) < 3 || run[0] == '`' && strings.Contains(line[len(run):], "`") {
		return ""
	}
	return run
}

// Lines tells code from prose in a whole text, line by line.
type Lines struct{ fence string }

// Code reports whether the next line is in a block of code, or one of its fences.
func (l *Lines) Code(line string) bool {
	if l.fence == "" {
		l.fence = Of(line)
		return l.fence != ""
	}
	line = strings.Trim(line, " \t\r\n>")
	if strings.HasPrefix(line, l.fence) && strings.Trim(line, l.fence[:1]) == "" {
		l.fence = ""
	}
	return true
}

// Open reports whether the block of code goes on behind the line.
func (l *Lines) Open() bool { return l.fence != "" }
