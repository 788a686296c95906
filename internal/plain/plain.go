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
	return strings.Join(strings.Fields(text), " ")
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
