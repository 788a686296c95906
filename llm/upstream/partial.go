package upstream

import (
	"strings"
	"unicode/utf8"
)

// partial holds the bytes of a character that a server split over two pieces.
type partial struct{ held string }

// join returns the held bytes and text, up to the last whole character. Bytes
// that are not UTF-8 become U+FFFD.
func (p *partial) join(text string) string {
	if p.held != "" {
		text = p.held + text
		p.held = ""
	}
	if utf8.ValidString(text) {
		return text
	}
	whole := len(text) - unfinished(text)
	p.held = text[whole:]
	return strings.ToValidUTF8(text[:whole], "\uFFFD")
}

// rest returns what is held at the end of the answer.
func (p *partial) rest() string {
	held := p.held
	p.held = ""
	return strings.ToValidUTF8(held, "\uFFFD")
}

// unfinished returns the length of the incomplete character at the end of text.
func unfinished(text string) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		tail := text[len(text)-n:]
		if utf8.RuneStart(tail[0]) {
			if utf8.FullRuneInString(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
