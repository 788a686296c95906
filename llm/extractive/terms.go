package extractive

import (
	"unicode/utf8"

	"parley/llm/words"
)

const (
	// maxTerms bounds how many content words of a question count.
	maxTerms = 64
	// lent is the weight of the words of the question before, as the search has it, and
	// maxEarlier how many earlier ones lend words, each half as much as the next.
	lent       = 0.3
	maxEarlier = 2
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
	// begins marks the bytes with which a way to write a term begins. Most words of a
	// passage need no further check.
	begins [256]bool
	// inflected says that words count as alike that begin alike, because the stemmer
	// does not know the question's language.
	inflected bool
}

// termsOf returns the first content words of a question and of those before it. Two
// words that stand together are a way to write the first: "back up" is "backup".
func termsOf(question string, earlier []string) *terms {
	found := &terms{places: map[string]int{}, inflected: !isEnglish(question)}
	found.read(question, 1)
	own := len(found.weights)
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

func (t *terms) read(text string, weight float64) {
	before, place := "", -1
	eachWord(text, func(word []byte) {
		if place >= 0 && len(word) > 1 && word[0] < utf8.RuneSelf {
			t.alias(before+string(word), place)
		}
		before, place = string(word), -1
		if len(t.weights) == maxTerms || stopwords[before] {
			return
		}
		var known bool
		if place, known = t.places[string(stem(word))]; known {
			return
		}
		place = len(t.weights)
		t.alias(before, place)
		t.aliases(before, place)
		t.weights = append(t.weights, weight)
		t.telling = append(t.telling, weight*telling(before))
	})
}

// telling says how much a word tells in English at large.
func telling(word string) float64 {
	if vague[word] {
		return vagueness * words.Weight(word)
	}
	return words.Weight(word)
}

// aliases adds the words that are alike.
func (t *terms) aliases(word string, place int) {
	if t.inflected || alike[word] == "" {
		return
	}
	for other, first := range alike {
		if first == alike[word] {
			t.alias(other, place)
		}
	}
}

// alias adds a way to write a term, unless it is one already.
func (t *terms) alias(word string, place int) {
	root := string(stem([]byte(word)))
	if _, known := t.places[root]; !known && len(word) <= maxWord {
		t.places[root] = place
		t.begins[root[0]] = true
	}
}

// in returns the terms that occur in text, one bit each.
func (t *terms) in(text string) uint64 {
	var bits uint64
	var buffer [2 * maxWord]byte
	joined := buffer[:0]
	eachWord(text, func(word []byte) {
		bits |= t.bit(word)
		if n := len(joined); n > 0 && n+len(word) <= maxWord && joined[0] < utf8.RuneSelf && t.begins[joined[0]] {
			bits |= t.bit(append(joined, word...))
		}
		joined = append(joined[:0], word...)
	})
	return bits
}

func (t *terms) bit(word []byte) uint64 {
	if !t.begins[word[0]] && word[0] != arabic[0] {
		return 0
	}
	root := stem(word)
	if place, found := t.places[string(root)]; found {
		return 1 << place
	}
	var bits uint64
	if t.inflected {
		for other, place := range t.places {
			if beginAlike(string(root), other) {
				bits |= 1 << place
			}
		}
	}
	return bits
}

// share is the part of a text's content words that are terms, from 0 to 1.
func (t *terms) share(text string) float64 {
	hits, all := 0, 0
	eachWord(text, func(word []byte) {
		if stopwords[string(word)] {
			return
		}
		all++
		if t.bit(word) != 0 {
			hits++
		}
	})
	if all == 0 {
		return 0
	}
	return float64(hits) / float64(all)
}

// beginAlike reports whether two words have the same beginning, of four characters and
// seven tenths of the shorter word at least: "kostet" and "Kosten".
func beginAlike(a, b string) bool {
	shorter := min(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
	common := 0
	for i, r := range a {
		if other, _ := utf8.DecodeRuneInString(b[min(i, len(b)):]); other != r {
			break
		}
		common++
	}
	return common >= 4 && 10*common >= 7*shorter
}
