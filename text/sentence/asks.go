package sentence

import (
	"strings"
	"unicode/utf8"
)

// Asks reports whether a text ends as a question does, in any language that has a mark for
// it, whatever quotes or emphasis stand behind.
func Asks(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, " \t*_\"'”»)"))
	return last == '?' || last == '？' || last == '؟' || last == '՞'
}
