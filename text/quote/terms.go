package quote

import (
	"cmp"
	"regexp"
	"strings"
	"unicode/utf8"

	"parley/text/encode/words"
	"parley/text/language"
	"parley/text/language/kinds"
	"parley/text/lexical"
	sentences "parley/text/sentence"
)

const (
	// maxTerms bounds how many content words of a question count.
	maxTerms = 64
	// lent is the weight of the words of the question before, as the search has it, and
	// maxEarlier how many earlier ones lend words, each half as much as the next.
	lent       = 0.3
	maxEarlier = 2
	// stated is the weight of the words of a message that stand in no sentence that asks.
	stated = 0.2
	// weakness is the weight of a pair of characters that may say little.
	weakness = 0.3
	// ofOne is the weight of a single Chinese character: "保" is in "保修" and "质保".
	ofOne = 0.4
	// partly is the weight of a part of a word with a hyphen.
	partly = 0.5
	// implied is the weight of a word that a question means without saying it.
	implied = 0.5
	// vagueness is the weight of a word that asks rather than names.
	vagueness = 0.25
)

// terms are the content words of a question.
type terms struct {
	// weights says how much each term counts: 1, or less for one of an earlier
	// question.
	weights []float64
	// telling says how much each term tells in English at large.
	telling []float64
	// asked are the terms of the question itself or, if it has none, of those before it:
	// the evidence goes by these.
	asked uint64
	// places maps each way to write a term to its place.
	places map[string]int
	// first and last have the ways to write a term by their first and their last letter,
	// where words may be alike that are not the same.
	first, last map[rune][]way
	// begins marks the bytes with which a way to write a term begins. Most words of a
	// passage need no further check.
	begins [256]bool
	// inflected says that the question is in another language than English, and in which,
	// if that is clear. Words count as alike then that begin alike.
	inflected bool
	lang      language.Code
	// wants is what kind of answer the question asks for, and named the terms that say so:
	// "located", "price".
	wants wanted
	named uint64
	// kinds has the words for kinds of answers in the question's language. In a language
	// without spaces, phrase is the words of the question that ask for a kind.
	kinds  *kinds.Kinds
	phrase string
	// parts are the parts of hyphenated words, which tell little beside the whole word.
	parts map[string]bool
	// asking is the part of the message that asks.
	asking string
}

// termsOf returns the first content words of a question and of those before it. Two
// words that stand together are a way to write the first: "back up" is "backup".
func termsOf(question string, earlier []string, in language.Code) *terms {
	found := &terms{places: map[string]int{}, lang: in, inflected: in != language.English && (in != "" || !language.MayBeEnglish(question))}
	if !found.inflected {
		found.lang = language.English
	}
	if found.asking = question; !found.inflected {
		found.asking = whatAsks(question)
	}
	found.kinds = kinds.In(cmp.Or(found.lang, language.Likeliest(question)))
	found.wants, found.phrase = found.kinds.AskedBy(found.asking)
	if found.inflected {
		found.first, found.last = map[rune][]way{}, map[rune][]way{}
	}
	found.readCompounds(question)
	found.read(found.asking, 1)
	found.read(question, stated)
	found.addPhrases(question)
	own := len(found.weights)
	if word := found.implies(found.asking, len(earlier) > 0); word != "" && !found.has(word) {
		if found.wants == place {
			found.named |= 1 << len(found.weights)
		}
		found.read(word, implied)
	}
	weight := lent
	for i := len(earlier) - 1; i >= max(0, len(earlier)-maxEarlier); i-- {
		found.read(earlier[i], weight)
		weight /= 2
	}
	if own == 0 {
		own = len(found.weights)
	}
	found.asked = ^uint64(0) >> (maxTerms - own)
	return found
}

// whatAsks returns the sentences of an English message that ask, if they name what they
// ask about: "I moved here in May. Do I need a permit?" asks about a permit.
func whatAsks(message string) string {
	var asking []string
	names, english := false, terms{lang: language.English}
	sentences.Each(message, func(text string) {
		if sentences.Asks(text) {
			asking = append(asking, text)
			eachWord(text, func(word []byte) {
				names = names || !english.says(string(word)) && !isAsking(string(word), language.English)
			})
		}
	})
	if !names {
		return message
	}
	return strings.Join(asking, " ")
}

func (t *terms) read(text string, weight float64) {
	before, place, moves := "", -1, -1
	eachWord(text, func(word []byte) {
		if place >= 0 && len(word) > 1 && word[0] < utf8.RuneSelf {
			t.alias(t.root([]byte(before+string(word))), place)
		}
		asking := before == "how"
		before, place = string(word), -1
		if moves >= 0 && before == "back" && !t.inflected {
			t.alias(t.root([]byte("return")), moves) // "Can I bring it back?"
			return
		}
		if len(t.weights) == maxTerms || t.says(before) || asking && measures[before] || t.wants == duration && takes[before] {
			return
		}
		counts := weight * t.counts(before)
		var known bool
		if place, known = t.places[string(t.root(word))]; known {
			return
		}
		place = len(t.weights)
		t.alias(t.root(word), place)
		t.aliases(before, place)
		if moving[before] {
			moves = place
		}
		if t.names(before) {
			t.named |= 1 << place
		}
		tells := telling(before)
		if t.parts[before] {
			tells *= partly
		}
		t.weights = append(t.weights, counts)
		t.telling = append(t.telling, weight*tells)
	})
}

// addPhrases adds the ways to write the words of a question without spaces that mean the
// same: for pairs of characters, the pairs of the others.
func (t *terms) addPhrases(question string) {
	lexical.EachAlike(question, t.lang, func(word string, alike []string) {
		at := -1
		eachWord(word, func(pair []byte) {
			if place, known := t.places[string(t.root(pair))]; known && (at < 0 || t.weights[place] > t.weights[at]) {
				at = place
			}
		})
		if at < 0 {
			return
		}
		for _, other := range alike {
			eachWord(other, func(pair []byte) {
				if utf8.RuneCount(pair) > 1 && t.counts(string(pair)) == 1 {
					t.alias(t.root(pair), at)
				}
			})
		}
	})
}

// names reports whether a word names the kind of answer that is asked for, so that what is
// written like one says it. An English price has "price" about it, and much else is free.
func (t *terms) names(word string) bool {
	if t.wants == anything || !t.inflected && t.wants != place && t.wants != phone && t.wants != email {
		return false
	}
	return t.kinds.Names(word, t.wants) || len(word) > 3 && strings.Contains(t.phrase, word)
}

// readCompounds reads words with a hyphen, which others write without or as two: "e-bike",
// "tune-up".
func (t *terms) readCompounds(question string) {
	if t.inflected || !strings.Contains(question, "-") {
		return
	}
	for _, compound := range compounds.FindAllString(strings.ToLower(question), maxCompounds) {
		parts := strings.Split(compound, "-")
		word := strings.Join(parts, "")
		if len(word) > maxWord || t.has(word) {
			continue
		}
		t.aliases(word, len(t.weights))
		t.alias(t.root([]byte(word)), len(t.weights))
		t.weights = append(t.weights, 1)
		t.telling = append(t.telling, words.Weight(compound))
		for _, part := range parts {
			if t.parts == nil {
				t.parts = map[string]bool{}
			}
			t.parts[part] = true
		}
	}
}

// compounds are words with hyphens.
var compounds = regexp.MustCompile(`\b[a-z]+(?:-[a-z]+)+\b`)

// maxCompounds bounds how many of a question count.
const maxCompounds = 8

// counts is what a word of a question counts, from 0 to 1: less for one that asks rather
// than names, and for parts of words where no spaces divide them.
func (t *terms) counts(word string) float64 {
	first, _ := utf8.DecodeRuneInString(word)
	switch {
	case !isUnspaced(first):
		switch {
		case t.parts[word]:
			return partly
		case t.inflected && isAsking(word, t.lang):
			return vagueness
		}
		return 1
	case isWeak(word, t.lang):
		return weakness
	case utf8.RuneCountInString(word) == 1:
		return ofOne
	}
	return 1
}

// telling says how much a word tells in English at large.
func telling(word string) float64 {
	if isAsking(word, language.English) {
		return vagueness * words.Weight(word)
	}
	return words.Weight(word)
}

// aliases adds the words that are alike.
func (t *terms) aliases(word string, place int) {
	if !t.inflected {
		for _, other := range alike()[word] {
			t.alias(stem([]byte(other)), place)
		}
		return
	}
	for _, root := range lexical.Alike(string(t.root([]byte(word))), t.lang) {
		t.alias([]byte(root), place)
	}
}
