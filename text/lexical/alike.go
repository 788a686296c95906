package lexical

import (
	"slices"
	"strings"
	"unicode/utf8"

	"parley/text/language"
)

// thesaurus has the words of a language that mean the same: terms of words, and phrases
// where no spaces divide words.
type thesaurus struct {
	terms   map[string][]string
	phrases []phrase
}

// phrase is a word of a text without spaces, with those that mean the same.
type phrase struct {
	text  string
	alike []string
}

var thesaurusOf = language.Once(func(in language.Code) *thesaurus {
	t := &thesaurus{terms: map[string][]string{}}
	for _, group := range in.Lines("alike") {
		t.add(strings.Fields(group), in)
	}
	return t
})

func (t *thesaurus) add(group []string, in language.Code) {
	var terms []string
	for i, word := range group {
		if r, _ := utf8.DecodeRuneInString(word); isUnspaced(r) {
			others := slices.Delete(slices.Clone(group), i, i+1)
			t.phrases = append(t.phrases, phrase{word, others})
		} else if term := TermOf(word, in); term != "" && !slices.Contains(terms, term) {
			terms = append(terms, term)
		}
	}
	for _, term := range terms {
		for _, other := range terms {
			if other != term && !slices.Contains(t.terms[term], other) {
				t.terms[term] = append(t.terms[term], other)
			}
		}
	}
}

// Alike returns the terms of the words that mean the same as the word of a term, in a
// language.
func Alike(term string, in language.Code) []string {
	return thesaurusOf(in).terms[term]
}

// EachAlike calls visit with each word of a text without spaces, and with those that mean
// the same.
func EachAlike(text string, in language.Code, visit func(word string, alike []string)) {
	for _, p := range thesaurusOf(in).phrases {
		if strings.Contains(text, p.text) {
			visit(p.text, p.alike)
		}
	}
}
