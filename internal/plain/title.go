package plain

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Title returns a text as one line that looks the same wherever it is shown: without
// control characters, without those that turn the direction of what follows them, and
// without those that nobody sees. A joiner or a non-joiner stays, one at a time, where it makes
// another word or another picture (RFC 5892, appendix A).
func Title(text string) string {
	var title strings.Builder
	last := rune(0) // the one that was kept before
	text = strings.ToValidUTF8(text, "")
	for at, r := range text {
		switch {
		case unicode.IsSpace(r):
			r = ' '
		case r == '\u200c' || r == '\u200d':
			next, _ := utf8.DecodeRuneInString(text[at+len("\u200d"):])
			if !(joins(last) && joins(next)) && !(r == '\u200d' && isPicture(last) && isPicture(next)) {
				continue
			}
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), isBlank(r):
			continue
		}
		title.WriteRune(r)
		last = r
	}
	return Line(title.String())
}

// joining are the scripts in which a joiner or a non-joiner makes another word, or
// another letter.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Mandaic, unicode.Nko, unicode.Mongolian, unicode.Devanagari, unicode.Bengali,
	unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam,
	unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Balinese, unicode.Javanese,
}

func joins(r rune) bool {
	return unicode.In(r, joining...) && (unicode.IsLetter(r) || unicode.IsMark(r)) || '\u064b' <= r && r <= '\u0655'
}

// isPicture reports whether a rune can be the part of an emoji at which two of them are joined:
// a picture, the color of its skin, or the selector that makes it one.
func isPicture(r rune) bool {
	return r == '\ufe0f' || r > 0x2100 && r != utf8.RuneError && unicode.In(r, unicode.So, unicode.Sk)
}

// isBlank reports whether a rune is a letter or a mark that shows nothing.
func isBlank(r rune) bool {
	switch r {
	case '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u3164', '\uffa0':
		return true
	}
	return false
}
