package split

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentence cuts behind a sentence.
func sentence(text string) int {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		end := at + size
		if !unicode.Is(unicode.STerm, r) && r != '…' {
			at = end
			continue
		}
		after := behindClosing(text, end)
		if r >= firstWide && after < len(text) {
			return after
		}
		if startsWithSpace(text[after:]) && (r != '.' || !abbreviated(text[:at])) && !goesOn(text[after:]) {
			return gap(text, after)
		}
		at = after
	}
	return len(text)
}

// firstWide is where the scripts begin that put no space between sentences.
const firstWide = '\u3000'

// behindClosing returns the position behind the quotes, brackets and marks of
// emphasis that close with a sentence, and behind more marks that end it.
func behindClosing(text string, at int) int {
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !strings.ContainsRune(`"')]*_`, r) && !unicode.In(r, unicode.STerm, unicode.Pe, unicode.Pf) {
			break
		}
		at += size
	}
	return at
}

// goesOn reports whether the word behind the space is none that starts a
// sentence.
func goesOn(text string) bool {
	for _, r := range text {
		if !unicode.IsSpace(r) {
			return unicode.IsLower(r)
		}
	}
	return true
}

// abbreviations are words whose point ends no sentence though a capital
// follows.
var abbreviations = []string{"Abb", "Abs", "Art", "Bd", "Co", "Dr", "Fig", "Hr", "Mr", "Mrs", "Ms", "Nr", "No", "Prof", "Sr", "St", "ca", "cf", "vs"}

// abbreviated reports whether the point behind a text is that of an
// abbreviation, an initial or a number such as that of a list item.
func abbreviated(text string) bool {
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
