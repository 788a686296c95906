package lexical

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/text/language"
)

const (
	// maxWidened is up to how many terms a question is widened: a long one has words
	// enough.
	maxWidened = 20
	// leastPart is how many letters a part of a compound has at least, and leastVerb those
	// of an English verb before "up".
	leastPart = 4
	leastVerb = 3
)

// widen lends the question synonyms of its own terms, which come first, and the parts of
// compounds. Terms that no passage has cost nothing.
func (q *question) widen(text string, in language.Code, own int) {
	if own > maxWidened {
		return
	}
	if in == "" || in == language.English {
		q.widenVerbs(text, own)
		return
	}
	for _, term := range q.terms[:own] {
		q.carry(Alike(term.text, in), q.weights.Alike)
	}
	EachAlike(text, in, func(_ string, alike []string) {
		for _, word := range alike {
			q.carry(pairsOf(word), q.weights.Alike)
		}
	})
	if in.Compounds() {
		for _, term := range q.terms[:own] {
			q.carry(partsOf(term.text), q.weights.Part)
		}
	}
}

// pairsOf returns the terms of a word without spaces that are pairs, or the word if it is
// shorter.
func pairsOf(word string) []string {
	a := analysis{}
	a.add(word)
	if len(a.terms) == 1 {
		return a.terms
	}
	return slices.DeleteFunc(a.terms, func(term string) bool { return utf8.RuneCountInString(term) == 1 })
}

// partsOf returns what may be the parts of a compound: its ends and its beginnings. Of
// these only the words count that passages have.
func partsOf(term string) []string {
	letters := []rune(term)
	if len(letters) < 2*leastPart || strings.ContainsAny(term, "0123456789") {
		return nil
	}
	var parts []string
	for at := leastPart; at <= len(letters)-leastPart; at++ {
		parts = append(parts, string(letters[at:]), string(letters[:at]))
	}
	return parts
}

// particles are English words that stand behind verbs, as "tune up" and "tuneup" have them.
// "In" and "on" are left out: too many words end with them.
var particles = []string{"up", "out", "off", "down", "back", "away"}

// widenVerbs lends the verb of "tuneup", and "tuneup" where "tune-up" or "tune up" stands.
func (q *question) widenVerbs(text string, own int) {
	for _, term := range q.terms[:own] {
		for _, particle := range particles {
			if verb, ok := strings.CutSuffix(term.text, particle); ok && len(verb) >= leastVerb {
				q.carry(Terms(verb, language.English), q.weights.Part)
			}
		}
	}
	before := ""
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(before) >= leastVerb && slices.Contains(particles, word) {
			q.carry(Terms(before+word, language.English), q.weights.Part)
		}
		before = word
	}
}
