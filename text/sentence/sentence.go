// Package sentence finds where sentences end, and which ask, in texts of any language.
//
// Package ground uses its parts on a text as it arrives, split cuts a long text with
// [First], and quote quotes single sentences with [Each].
package sentence

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Ends reports whether a character can end a sentence.
func Ends(r rune) bool { return unicode.Is(unicode.STerm, r) || r == '…' }

// Wide reports whether a character belongs to a script without spaces between sentences.
func Wide(r rune) bool { return r >= '\u3000' }

// First returns the length of the first sentence of a text, and whether white space
// follows it. A word in lower case does not start a sentence.
func First(text string) (length int, space bool) {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		end := at + size
		if !Ends(r) {
			at = end
			continue
		}
		after := end + Closing(text[end:])
		if Wide(r) && after < len(text) {
			return after, false
		}
		if startsWithSpace(text[after:]) && (r != '.' || !Abbreviated(text[:at])) && !continues(text[after:]) {
			return after, true
		}
		at = after
	}
	return len(text), false
}

// Closing returns the length of the quotation marks, brackets and emphasis marks that
// close with a sentence, and of further marks that end it.
func Closing(text string) int {
	at := 0
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !strings.ContainsRune(`"')]*_`, r) && !unicode.In(r, unicode.STerm, unicode.Pe, unicode.Pf) {
			break
		}
		at += size
	}
	return at
}

func startsWithSpace(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text != "" && unicode.IsSpace(r)
}

// continues reports whether the word after the space does not start a sentence.
func continues(text string) bool {
	for _, r := range text {
		if !unicode.IsSpace(r) {
			return unicode.IsLower(r)
		}
	}
	return true
}

// abbreviations lists words whose period does not end a sentence even before a capital
// letter.
var abbreviations = []string{"Abb", "Abs", "Art", "Bd", "Co", "Dr", "Fig", "Hr", "Mr", "Mrs", "Ms", "Nr", "No", "Prof", "Sr", "St", "ca", "cf", "vs"}

// Abbreviated reports whether the period after a text belongs to an abbreviation, an
// initial, or a short number, such as a list item's.
func Abbreviated(text string) bool {
	tail := text[max(0, len(text)-8):]
	start := strings.LastIndexFunc(tail, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) + 1
	if start > 0 {
		_, size := utf8.DecodeRuneInString(tail[start-1:])
		start += size - 1
	}
	last := tail[start:]
	if slices.Contains(abbreviations, last) {
		return true
	}
	first, size := utf8.DecodeRuneInString(last)
	if unicode.IsDigit(first) {
		return len(last) <= 2
	}
	return last != "" && size == len(last)
}
