package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/text/language"
	"parley/text/lexical"
)

// implies returns the word that a question means without saying it: "How much is it?" asks
// what it costs, "How long does it take?" for the time, and "Where are you?", which follows
// no other and has no word of its own, for the address.
func (t *terms) implies(question string, follows bool) string {
	own := len(t.weights) > 0
	switch {
	case t.inflected:
	case own && asksPrice(question):
		return "cost"
	case own && t.wants == duration:
		return "time"
	case !own && !follows && t.wants == place:
		return "address"
	}
	return ""
}

func (t *terms) has(word string) bool {
	_, known := t.places[string(t.root([]byte(word)))]
	return known
}

// root is what the forms of a word have in common. In English it is less than the search's
// stem, which makes more words the same than a quotation should take for another.
func (t *terms) root(word []byte) []byte {
	if first, _ := utf8.DecodeRune(word); !t.inflected || t.lang == "" || first >= unstemmed {
		return stem(word)
	}
	return []byte(lexical.TermOf(string(word), t.lang))
}

// unstemmed is the first character of the scripts whose words have no endings to drop.
const unstemmed = 0x0E00

// says reports whether a word only says how something is asked.
func (t *terms) says(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	if (isHiragana(first) || unicode.Is(unicode.Hangul, first)) && isEnding(word) {
		return true
	}
	return framing(t.lang)[word] || len(lexical.TermOf(word, t.lang)) == 0 && !isUnspaced(first)
}

// framing has the words around a subject that is asked about in general.
var framing = language.Once(func(in language.Code) map[string]bool {
	words := in.Set("framing")
	eachWord(strings.ReplaceAll(language.PhrasesIn(in).About, "{subject}", " "), func(word []byte) { words[string(word)] = true })
	return words
})

// isAsking reports whether a word of a language asks rather than names.
func isAsking(word string, in language.Code) bool { return asking(in)[language.Fold(word)] }

var asking = language.Once(func(in language.Code) map[string]bool {
	words := map[string]bool{}
	for _, word := range in.Words("asking") {
		words[language.Fold(word)] = true
	}
	return words
})
