// Package plain cleans texts from outside, so that they can be stored, and shown on one
// line.
package plain

import (
	"strings"
	"unicode/utf8"
)

// Storable reports whether a text can be stored unchanged: valid UTF-8 without a NUL,
// which PostgreSQL refuses.
func Storable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsRune(text, 0)
}

// Line returns a text as one line that can be stored.
func Line(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", "")
	return Spaced(text)
}

// Spaced returns the words of a text with one space between them. It makes no list of
// them, which would take many times the text.
func Spaced(text string) string {
	var spaced strings.Builder
	for word := range strings.FieldsSeq(text) {
		if spaced.Len() > 0 {
			spaced.WriteByte(' ')
		}
		spaced.WriteString(word)
	}
	return spaced.String()
}

// Shorten returns the first characters of a text.
func Shorten(text string, chars int) string {
	for i := range text {
		if chars == 0 {
			return strings.TrimSpace(text[:i])
		}
		chars--
	}
	return text
}
