package chat

import "strings"

// maxSpan is how far the end of code on a line is looked for behind a bracket.
const maxSpan = 128

// code follows what is code in Markdown (CommonMark 0.31, 4.5 and 6.1): blocks
// between fences, and spans within a line. A span that goes on in the next
// line is none here, and indented code is not known.
type code struct {
	// open is the length of the run of backticks that opened a span on this
	// line, or zero.
	open int
	// info says that the run opens a block, unless another follows on the line.
	info bool
	// fence is the sign of the block's fence and length that of the run; there
	// is no block while length is zero.
	fence  byte
	length int
	// within is the prefix of the fence's line: of a quotation or a list.
	within string
	// begun says that the block's line is under way, and signsSeen how many
	// signs of a fence it has; below zero it is no fence.
	begun     bool
	signsSeen int
	trailing  bool
}

func (c *code) fenced() bool { return c.length > 0 }

// pass follows text without backticks and tildes.
func (c *code) pass(text string) {
	if text != "\n" {
		return
	}
	if c.info {
		c.begin('`', c.open)
	}
	c.open, c.info = 0, false
}

func (c *code) begin(fence byte, length int) {
	c.fence, c.length = fence, length
	c.begun, c.signsSeen, c.trailing = false, 0, false
}

// signs follows a run of backticks or tildes behind the prefix of a line, or
// behind other text.
func (c *code) signs(signs, prefix string, start bool) {
	fence := start && len(signs) >= 3 && isContainer(prefix)
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

// isContainer reports whether the beginning of a line is that of quotations
// and of items of lists.
func isContainer(prefix string) bool {
	for _, word := range strings.Fields(strings.ReplaceAll(prefix, ">", " ")) {
		digits := strings.TrimRight(word, ".)")
		bullet := word == "-" || word == "*" || word == "+"
		if !bullet && (len(word) != len(digits)+1 || digits == "" || strings.Trim(digits, "0123456789") != "") {
			return false
		}
	}
	return prefix == "" || strings.HasSuffix(prefix, " ") || strings.HasSuffix(prefix, "\t") || strings.HasSuffix(prefix, ">")
}

// line follows the next of a block of code: the rest of its line, or as much
// as there is. It is prose when the quotation or the item around the block has
// ended, and the block with it.
func (c *code) line(text string, final bool) (int, verdict) {
	if !c.begun {
		switch ended, decided := c.left(text); {
		case !decided && !final && len(text) < maxRun:
			return 0, wait
		case ended:
			c.length = 0
			return 0, prose
		}
		c.begun = true
	}
	for i := range len(text) {
		if text[i] == '\n' {
			c.endLine()
			return i + 1, isCode
		}
		c.follow(text[i])
	}
	if final {
		c.endLine()
	}
	return len(text), isCode
}

func (c *code) follow(sign byte) {
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

func (c *code) endLine() {
	if c.signsSeen >= c.length {
		c.length = 0
	}
	c.begun, c.signsSeen, c.trailing = false, 0, false
}

// left reports whether a line stands outside of what the fence stands in.
func (c *code) left(line string) (ended, decided bool) {
	rest := strings.TrimLeft(line, " \t")
	if rest == "" && line != "" && len(line) < maxRun {
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

// ahead decides whether the text behind a bracket, up to the returned length,
// is code, where a span or a block may have been opened on the line.
func (c *code) ahead(text string, final bool) (int, verdict) {
	if c.open == 0 {
		return 0, prose
	}
	window := text[:min(len(text), maxSpan)]
	for i := 0; i < len(window); {
		switch window[i] {
		case '\n':
			if c.info {
				return i, isCode
			}
			return 0, prose
		case '`':
			n := runLength(window[i:], '`', maxRun)
			if i+n == len(window) && n < c.open+1 && len(window) < maxSpan && !final {
				return 0, wait
			}
			if n == c.open {
				return i, isCode
			}
			if c.info { // it opens no block
				return 0, prose
			}
			i += n
		default:
			i++
		}
	}
	if final || len(window) == maxSpan {
		return 0, prose
	}
	return 0, wait
}
