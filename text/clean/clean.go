// Package clean takes from texts that others wrote what a reader does not see and a model
// does, and what could pass for something else in a prompt.
//
// It does not own how a prompt is made (package core/answer/prompt), or how an answer is
// read (package shown).
package clean

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns a text without what a reader does not see and a model
// does: control characters other than newline and tab, format characters
// (zero-width, bidirectional, tags), variation selectors, fillers,
// noncharacters and the private use of planes 15 and 16. Each kind of line
// break is a newline. Cleaning twice changes nothing more.
//
// Few of them mean something, and stay there, one at a time, as more of them
// could spell a hidden text: U+200C and U+200D between two letters of a script
// that joins them (RFC 5892, appendix A), U+200D between two pictures, U+FE0E
// and U+FE0F behind a picture or in a keycap, and Mongolian variation selectors
// in Mongolian words.
func Text(text string) string {
	if !hasHidden(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	last := rune(0) // the one that was kept before
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		at += size
		if isHidden(r) {
			next, _ := utf8.DecodeRuneInString(text[at:])
			if r = inContext(last, r, next); r < 0 {
				continue
			}
		}
		b.WriteRune(r) // U+FFFD for what is not UTF-8
		last = r
	}
	return b.String()
}

// Line returns a text as one clean line of at most limit characters, with
// an ellipsis in place of the rest.
func Line(text string, limit int) string {
	// What is far behind the limit need not be cleaned.
	if far := 8 * limit; len(text) > far {
		text = strings.ToValidUTF8(text[:far], "")
	}
	line := strings.Join(strings.Fields(Text(text)), " ")
	if utf8.RuneCountInString(line) <= limit {
		return line
	}
	kept := []rune(line)[:limit-1]
	return strings.TrimRightFunc(string(kept), unicode.IsSpace) + "…"
}

// inContext returns what stands for a hidden character between two others, or
// a negative number for nothing.
func inContext(last, r, next rune) rune {
	keep := false
	switch {
	case r == '\r' && next == '\n':
	case breaksLine(r):
		return '\n'
	case r == '\u200C':
		keep = joins(last) && joins(next)
	case r == '\u200D':
		keep = joins(last) && joins(next) || (isPicture(last) || last == '\uFE0F') && isPicture(next)
	case r == '\uFE0E' || r == '\uFE0F':
		keep = isPicture(last) || isKeycap(last) && next == '\u20E3'
	case '\u180B' <= r && r <= '\u180F':
		keep = unicode.IsLetter(last) && unicode.Is(unicode.Mongolian, last)
	}
	if keep {
		return r
	}
	return -1
}

func hasHidden(text string) bool {
	for at := 0; at < len(text); {
		if at = pastPlain(text, at); at == len(text) {
			return false
		}
		if c := text[at]; c < utf8.RuneSelf {
			if c < ' ' && c != '\n' && c != '\t' || c == 0x7F {
				return true
			}
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		if r == utf8.RuneError && size == 1 || isHidden(r) {
			return true
		}
		at += size
	}
	return false
}

// pastPlain returns where the plain text ends that begins at an offset: of
// eight bytes each, all printable ASCII. Most passages are little else, and each
// answer has five of them looked through.
func pastPlain(text string, at int) int {
	for ; at+8 <= len(text); at += 8 {
		// A byte's highest bit is set for what is below the space or above the tilde.
		if x := eight(text[at : at+8]); ((x-each*' ')&^x|(x+each)|x)&(each<<7) != 0 {
			break
		}
	}
	return at
}

// each has a one in each byte.
const each = 0x0101010101010101

// eight are eight bytes as one number, which the compiler loads at once.
func eight(b string) uint64 {
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

func isHidden(r rune) bool {
	switch {
	case r < 0x7F:
		return r < ' ' && r != '\n' && r != '\t'
	case r >= 0x1FFFE && r&0xFFFE == 0xFFFE:
		return true // the last two of each plane
	}
	return unicode.Is(hidden, r)
}

// hidden are the characters above U+007E that a text has without being seen. A
// test compares them with the properties that Unicode gives them.
var hidden = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x007F, 0x009F, 1}, // controls
		{0x00AD, 0x00AD, 1}, // soft hyphen
		{0x034F, 0x034F, 1}, // combining grapheme joiner
		{0x061C, 0x061C, 1}, // Arabic letter mark
		{0x115F, 0x1160, 1}, // Hangul fillers
		{0x17B4, 0x17B5, 1}, // Khmer inherent vowels
		{0x180B, 0x180F, 1}, // Mongolian variation selectors and vowel separator
		{0x200B, 0x200F, 1}, // zero-width characters, directional marks
		{0x2028, 0x202E, 1}, // separators of lines and paragraphs, embeddings and overrides
		{0x2060, 0x206F, 1}, // word joiner, invisible operators, isolates
		{0x3164, 0x3164, 1}, // Hangul filler
		{0xFDD0, 0xFDEF, 1}, // noncharacters
		{0xFE00, 0xFE0F, 1}, // variation selectors
		{0xFEFF, 0xFEFF, 1}, // zero-width no-break space
		{0xFFA0, 0xFFA0, 1}, // half-width Hangul filler
		{0xFFF0, 0xFFFB, 1}, // reserved, interlinear annotation
		{0xFFFE, 0xFFFF, 1}, // noncharacters
	},
	R32: []unicode.Range32{
		{0x13430, 0x1343F, 1},  // joiners of Egyptian hieroglyphs
		{0x1BCA0, 0x1BCA3, 1},  // controls of shorthand
		{0x1D173, 0x1D17A, 1},  // controls of musical notation
		{0xE0000, 0xE0FFF, 1},  // tags, variation selectors
		{0xF0000, 0x10FFFF, 1}, // private use
	},
	LatinOffset: 2,
}

func breaksLine(r rune) bool {
	switch r {
	case '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}

// joining are the scripts in which a joiner or a non-joiner makes another
// word, or another letter.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Mandaic, unicode.Nko, unicode.Mongolian, unicode.Devanagari, unicode.Bengali,
	unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam,
	unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Balinese, unicode.Javanese,
}

func joins(r rune) bool {
	if '\u064B' <= r && r <= '\u0655' || r == '\u0670' {
		return true // vowel signs that Arabic shares with others
	}
	return (unicode.IsLetter(r) || unicode.IsMark(r)) && unicode.In(r, joining...)
}

// isPicture reports whether r can be part of an emoji, roughly: a symbol
// beyond the Latin ones, or one of the few that are none.
func isPicture(r rune) bool {
	switch r {
	case '©', '®', '‼', '⁉', 'ℹ', '〰':
		return true
	}
	return r > 0x2100 && r != utf8.RuneError && unicode.In(r, unicode.So, unicode.Sm, unicode.Sk)
}

func isKeycap(r rune) bool { return '0' <= r && r <= '9' || r == '#' || r == '*' }
