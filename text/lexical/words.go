package lexical

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/text/language"
)

// analysis gathers the terms of texts in one language.
type analysis struct {
	in    language.Code
	terms []string
	// before is the word that a hyphen joins to the next one.
	before string
	// also are languages that the text may be in as well.
	also []language.Code
}

// add appends the terms of a text: its words in lower case, without stop
// words, reduced to their stems. The targets of links and addresses are not
// words, as nobody asks for them.
func (a *analysis) add(text string) {
	for len(text) > 0 {
		at := nextTarget(text)
		a.words(text[:at])
		text = text[at:]
		text = text[targetLength(text):]
	}
}

// nextTarget returns where the next target of a Markdown link, or the next
// address, begins: the length of the text if there is none.
func nextTarget(text string) int {
	none := 0 // no link that begins before this ends
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ']':
			if i < none || !strings.HasPrefix(text[i:], "](") {
				continue
			}
			length, looked := linkLength(text[i:])
			if length > 0 {
				return i
			}
			none = i + looked
		case 'h':
			if addressLength(text[i:]) > 0 {
				return i
			}
		}
	}
	return len(text)
}

func targetLength(text string) int {
	length, _ := linkLength(text)
	return max(length, addressLength(text))
}

// linkLength is the length of "](target)", or zero, and how many bytes have no end of it
// then.
func linkLength(text string) (length, looked int) {
	if !strings.HasPrefix(text, "](") {
		return 0, 0
	}
	for i := 2; i < len(text); i++ {
		switch text[i] {
		case ')':
			return i + 1, i + 1
		case ' ', '\t', '\n', '\r':
			return 0, i
		}
	}
	return 0, len(text)
}

// addressLength is the length of an http address, or zero.
func addressLength(text string) int {
	rest, ok := strings.CutPrefix(text, "http://")
	if !ok {
		rest, ok = strings.CutPrefix(text, "https://")
	}
	if !ok {
		return 0
	}
	end := strings.IndexFunc(rest, unicode.IsSpace)
	if end < 0 {
		end = len(rest)
	}
	return len(text) - len(rest) + end
}

// words appends the terms of a text without targets. A word is a run of
// letters, digits and marks, joined by apostrophes within.
func (a *analysis) words(text string) {
	start := -1
	a.before = ""
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		switch {
		case isUnspaced(r):
			a.word(text, start, i)
			start, a.before = -1, ""
			size = a.pairs(text[i:])
		case isWordRune(r):
			if start < 0 {
				start = i
			}
		case start >= 0 && isApostrophe(r) && beginsWord(text[i+size:]):
		default:
			a.word(text, start, i)
			if start < 0 || r != '-' {
				a.before = ""
			}
			start = -1
		}
		i += size
	}
	a.word(text, start, len(text))
}

func (a *analysis) word(text string, start, end int) {
	if start < 0 {
		return
	}
	word := text[start:end]
	a.before = a.joined(word)
	analyzer := analyzerOf(word, a.in)
	first := analyzer.termOf(word)
	if first != "" {
		a.terms = append(a.terms, first)
	}
	for _, code := range a.also {
		if other := analyzerOf(word, code); other != analyzer && first != "" {
			if term := other.termOf(word); term != "" && !slices.Contains(a.terms, term) {
				a.terms = append(a.terms, term)
			}
		}
	}
}

// joined appends the term of a compound whose parts stand with a hyphen, as it may also be
// written without: "Aqua-Fitness". It returns the word for the part
// that follows.
func (a *analysis) joined(word string) string {
	if a.before != "" && a.in.Compounds() {
		if term := analyzerOf(word, a.in).termOf(a.before + strings.ToLower(word)); term != "" {
			a.terms = append(a.terms, term)
		}
	}
	return word
}

// pairs appends the terms of a run of letters that no spaces part into words: each letter,
// and each pair of neighbors. It returns the length of the run.
func (a *analysis) pairs(text string) int {
	var starts []int
	end := 0
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if isUnspaced(r) {
			starts = append(starts, end)
		} else if !unicode.IsMark(r) { // a mark belongs to the letter before
			break
		}
		end += size
	}
	starts = append(starts, end)
	for i := 1; i < len(starts); i++ {
		a.letters(text[starts[i-1]:starts[i]])
		if i > 1 {
			a.letters(text[starts[i-2]:starts[i]])
		}
	}
	return end
}

// letters appends one or two letters with their marks, of which a hostile text has many.
func (a *analysis) letters(text string) {
	if len(text) <= MaxTerm && utf8.ValidString(text) {
		a.terms = append(a.terms, text)
	}
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' }

func beginsWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return isWordRune(r) && !isUnspaced(r)
}

// isUnspaced reports whether a letter is of a script that writes no spaces between words,
// or, as Korean does, writes particles with them.
func isUnspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) &&
		!unicode.IsMark(r)
}
