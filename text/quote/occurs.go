package quote

import (
	"math/bits"
	"strings"
	"unicode/utf8"

	"parley/text/language"
)

// way is a way to write the term at a place.
type way struct {
	root  string
	place int
}

func firstLetter(root []byte) rune {
	r, _ := utf8.DecodeRune(root)
	return r
}

func lastLetter(root []byte) rune {
	r, _ := utf8.DecodeLastRune(root)
	return r
}

// alias adds the root of a way to write a term, unless it is one already.
func (t *terms) alias(root []byte, place int) {
	if _, known := t.places[string(root)]; !known && len(root) > 0 && len(root) <= maxWord {
		t.places[string(root)] = place
		t.begins[root[0]] = true
		if t.inflected {
			first, last := firstLetter(root), lastLetter(root)
			t.first[first] = append(t.first[first], way{string(root), place})
			t.last[last] = append(t.last[last], way{string(root), place})
		}
	}
}

// in returns the terms that occur in text, one bit each.
func (t *terms) in(text string) uint64 {
	var found uint64
	var buffer [2 * maxWord]byte
	joined := buffer[:0]
	eachWord(text, func(word []byte) {
		found |= t.bit(word)
		if n := len(joined); n > 0 && n+len(word) <= maxWord && joined[0] < utf8.RuneSelf && t.begins[joined[0]] {
			found |= t.bit(append(joined, word...))
		}
		joined = append(joined[:0], word...)
	})
	return found
}

func (t *terms) bit(word []byte) uint64 {
	if !t.inflected && !t.begins[word[0]] && word[0] != arabic[0] {
		return 0
	}
	root := t.root(word)
	if place, found := t.places[string(root)]; found {
		return 1 << place
	}
	var found uint64
	if t.inflected && len(root) > 0 {
		for _, other := range t.first[firstLetter(root)] {
			if beginAlike(string(root), other.root) {
				found |= 1 << other.place
			}
		}
		if t.lang.Compounds() {
			for _, other := range t.last[lastLetter(root)] {
				if endAlike(string(root), other.root) {
					found |= 1 << other.place
				}
			}
		}
	}
	return found
}

// told is the share of what the asked terms tell that some of them tell, or 0 where the
// table lacks all of them.
func (t *terms) told(some uint64) float64 {
	part, all := 0.0, 0.0
	for term, tells := range t.telling {
		if t.asked>>term&1 == 0 {
			continue
		}
		all += tells
		if some>>term&1 != 0 {
			part += tells
		}
	}
	return part / max(all, 1e-9)
}

// begin says which units begin with all that is asked for, but for an article.
func (t *terms) begin(units []unit) []bool {
	all := make([]bool, len(units))
	for u, unit := range units {
		left, missing := bits.OnesCount64(t.asked), t.asked
		eachWord(shorten(unit.text, maxLabel), func(word []byte) {
			if left > 0 && !articles[string(word)] {
				missing &^= t.bit(word)
				left--
			}
		})
		all[u] = unit.kind != code && t.asked != 0 && missing == 0
	}
	return all
}

var articles = language.English.List("articles")

// share is the part of a text's content words that are terms, from 0 to 1.
func (t *terms) share(text string) float64 {
	hits, all := 0, 0
	eachWord(text, func(word []byte) {
		if t.says(string(word)) {
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
	common := 0
	for i, r := range a {
		if other, _ := utf8.DecodeRuneInString(b[min(i, len(b)):]); other != r {
			break
		}
		common++
	}
	return common >= 4 && 10*common >= 7*min(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
}

// leastEnd is how many characters of two words have to be the same at their ends.
const leastEnd = 5

// endAlike reports whether the longer of two words ends with the other, as
// "Geschenkgutschein" does with "Gutschein".
func endAlike(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	return strings.HasSuffix(a, b) && utf8.RuneCountInString(b) >= leastEnd
}
