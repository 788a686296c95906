// Package lexical owns the words of retrieval: how a text becomes terms, how a
// question and what was said before it become weighted terms, and what the
// constants of the ranking are. Both sides of a search use it, so an index
// only counts terms and never sees a text.
//
// It does not own an index, nor the passages, nor the second look at the best
// of them (package knowledge).
package lexical

import (
	"slices"
	"strings"
	"unicode/utf8"

	"parley/text/language"
)

// Version names this analysis and the constants. Whatever changes the terms of
// a passage, or how an index weighs them, changes it, and indexes are rebuilt.
const Version = "lexical-4"

// The constants of BM25 (Robertson and Zaragoza, The Probabilistic Relevance
// Framework: BM25 and Beyond, 2009). B is below the usual .75: passages are
// of similar length by the way they are cut.
const (
	K1 = 1.2
	B  = 0.5
)

// MaxTerm is the length of the longest term, in bytes. Longer words are what
// nobody asks for: keys, hashes, encoded files.
const MaxTerm = 64

// Passage returns the terms of a passage in order: the headings, the innermost first, and
// the title stand before the text, where words count most. A title that is the outermost
// heading, too, stands there once.
func Passage(title string, headings []string, text string) []string {
	a := analysis{in: languageOf(title, headings, text), terms: make([]string, 0, len(text)/8+8)}
	for _, heading := range slices.Backward(headings) {
		a.add(heading)
	}
	if len(headings) == 0 || headings[0] != title {
		a.add(title)
	}
	a.add(text)
	return a.terms
}

// languageOf returns the language of the text or, if the text does not tell, of the title
// and the headings above it.
func languageOf(title string, headings []string, text string) language.Code {
	if in := language.Of(text); in != "" {
		return in
	}
	return language.Of(title + " " + strings.Join(headings, " "))
}

// Terms returns the terms of a text whose language is known, or taken for English: for
// texts that are compared with each other, whatever language they seem to be in.
func Terms(text string, in language.Code) []string {
	a := analysis{in: in}
	a.add(text)
	return a.terms
}

// TermOf returns the term of one word in a text of a language, or nothing: of a stop word, and
// of letters that no spaces part.
func TermOf(word string, in language.Code) string {
	if r, _ := utf8.DecodeRuneInString(word); isUnspaced(r) {
		return ""
	}
	return analyzerOf(word, in).termOf(word)
}

// Unspaced reports whether a letter is of a script whose terms are letters and pairs of them.
func Unspaced(r rune) bool { return isUnspaced(r) }
