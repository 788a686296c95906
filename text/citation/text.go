package citation

import "strings"

// citedText is what goes on of an answer. It keeps lines from being
// definitions of links named by a number (CommonMark 0.31, 4.7), which would
// make a link of a citation: the colon behind such a name is left out.
type citedText struct {
	text []byte
	// start says that the line has only the signs of lists and quotations.
	start bool
	line  []byte // those signs, maxPrefix at most
	last  byte
	label label
	// spaced says that a space is due, unless one comes.
	spaced bool
	// swallow says that spaces are left out that follow.
	swallow bool
	// bracket is how far back a bracket was opened that has not been closed on
	// the line, zero if that is more than a marker has.
	bracket int
	// closes says that a parenthesis is left out that comes next.
	closes bool
	// number is the number of the last marker, or zero if text was written after it.
	number int
}

const maxPrefix = 32

// label is how far the name of a definition has come.
type label int

const (
	noLabel label = iota
	inLabel
	numberLabel
	endedLabel
)

// take returns what was written since.
func (t *citedText) take() string {
	text := string(t.text)
	t.text = t.text[:0]
	return text
}

// prefix returns the beginning of the line, if there is nothing else on it.
func (t *citedText) prefix() (string, bool) {
	return string(t.line), t.start && len(t.line) < maxPrefix
}

// passes reports whether write would write a text without brackets and line
// ends as it is, and takes it as written.
func (t *citedText) passes(text string) bool {
	if !t.isQuiet() {
		return false
	}
	t.after(text[len(text)-1])
	return true
}

// verbatim writes code.
func (t *citedText) verbatim(code string) {
	t.text = append(t.text, code...)
	t.after(code[len(code)-1])
	t.label, t.bracket = noLabel, 0
	t.start = code[len(code)-1] == '\n'
	t.line = t.line[:0]
}

func (t *citedText) after(b byte) {
	t.last, t.number, t.spaced, t.swallow, t.closes = b, 0, false, false, false
}

// write writes all else.
func (t *citedText) write(text string) {
	for text != "" {
		n := t.quiet(text)
		if n == 0 {
			t.writeByte(text[0])
			text = text[1:]
			continue
		}
		t.text = append(t.text, text[:n]...)
		t.after(text[n-1])
		text = text[n:]
	}
}

// quiet is how much of a text writeByte would do no more with than to append
// it.
func (t *citedText) quiet(text string) int {
	if !t.isQuiet() {
		return 0
	}
	if n := strings.IndexAny(text, "\n[]"); n >= 0 {
		return n
	}
	return len(text)
}

func (t *citedText) isQuiet() bool {
	return !t.start && t.label == noLabel && !t.spaced && !t.swallow && !t.closes && t.bracket == 0
}

func (t *citedText) writeByte(b byte) {
	blank := b == ' ' || b == '\t'
	if t.swallow && blank {
		return
	}
	if t.closes && b == ')' {
		t.closes = false
		return
	}
	if t.label == endedLabel && b == ':' {
		t.after(t.last)
		t.label, t.spaced = noLabel, true
		return
	}
	if t.spaced && !blank && b != '\n' {
		t.text = append(t.text, ' ')
	}
	t.text = append(t.text, b)
	t.after(b)
	t.enclose(b)
	t.follow(b)
}

// enclose follows the brackets of a line.
func (t *citedText) enclose(b byte) {
	switch {
	case b == '[':
		t.bracket = 1
	case b == ']' || b == '\n' || t.bracket >= maxMarker:
		t.bracket = 0
	case t.bracket > 0:
		t.bracket++
	}
}

// follow follows the beginnings of lines and the names of definitions.
func (t *citedText) follow(b byte) {
	switch {
	case b == '\n':
		t.start, t.line = true, t.line[:0]
		if t.label == endedLabel {
			t.label = noLabel
		}
		return
	case b == '[' && t.start:
		t.label, t.start = inLabel, false
		return
	case t.label != noLabel:
		t.label = t.label.next(b)
	}
	if t.start && strings.IndexByte(" \t>-*+.)0123456789", b) < 0 {
		t.start = false
	}
	if t.start && len(t.line) < maxPrefix {
		t.line = append(t.line, b)
	}
}

func (l label) next(b byte) label {
	switch {
	case l == endedLabel:
		return noLabel
	case b >= '0' && b <= '9':
		return numberLabel
	case strings.IndexByte(" \t>^", b) >= 0:
		return l
	case b == ']' && l == numberLabel:
		return endedLabel
	}
	return noLabel
}

// removed writes what is left of a marker that was taken out: nothing, or what
// keeps its neighbors apart. It returns the spaces that stood before it when
// they are to go before another marker.
func (t *citedText) removed(spaces string, next rune) string {
	if t.bracket > 0 { // the rest must not become a marker
		t.write("…")
		return ""
	}
	outside, inside := strings.CutSuffix(spaces, "(")
	if inside && next != ')' {
		t.write(spaces)
		return ""
	}
	if t.start {
		t.write(outside)
		t.swallow, t.closes = true, inside
		return ""
	}
	if inside {
		t.closes = true
		return ""
	}
	switch {
	case opens(string(next)):
		if spaces == "" && t.joins('[') {
			spaces = " "
		}
		return spaces
	case spaces == "" && t.joins(next), spaces != "" && !strings.ContainsRune(" \t\n\x00.,;:!?)]}|”»", next):
		t.write(" ")
	}
	return ""
}

// joins reports whether the last sign and the next would mean something in
// Markdown together.
func (t *citedText) joins(next rune) bool {
	return strings.IndexByte("`*_~[]!\\<", t.last) >= 0 && strings.ContainsRune("`*_~[(>", next)
}
