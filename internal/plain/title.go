package plain

import (
	"strings"
	"unicode"
)

// Title returns a text as one line that looks the same wherever it is shown: without
// control characters, without those that turn the direction of what follows them, and
// without those that nobody sees.
func Title(text string) string {
	return Line(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), isBlank(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "")))
}

// isBlank reports whether a rune is a letter or a mark that shows nothing.
func isBlank(r rune) bool {
	switch r {
	case '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u3164', '\uffa0':
		return true
	}
	return false
}
