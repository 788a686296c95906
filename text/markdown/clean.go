package markdown

import (
	"strings"
	"unicode"
)

var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// clean makes text that is safe to show: valid UTF-8, newlines as \n, no other
// control character except tab, and none of the characters that make text read
// in another order than it is written (Unicode TR 36, section 3.8).
func clean(text string) string {
	return strings.Map(shown, newlines.Replace(text))
}

func shown(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return r
	case unicode.IsControl(r), reorders(r):
		return -1
	}
	return r
}

// reorders reports whether r embeds, overrides or isolates a direction. The
// marks U+200E and U+200F stay: right-to-left text needs them and they only act
// on what stands beside them.
func reorders(r rune) bool {
	return '\u202A' <= r && r <= '\u202E' || '\u2066' <= r && r <= '\u2069'
}
