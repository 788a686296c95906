package ground

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/text/language"
	"parley/text/lexical"
)

// claims are what must stand in the passages for a sentence to be supported, read in one
// language.
type claims struct {
	// terms are the sentence's words as retrieval analyzes them, each once.
	terms []string
	// names are the terms of words that are capitalized within it.
	names     []string
	numbers   []quantity
	dates     []date
	addresses []string
	// words are all of them, as they are written.
	words []string
	// clauses are those with at least two terms, or joined with the one before.
	clauses []clause
}

var (
	markers   = regexp.MustCompile(`\[\d{1,3}\]`)
	addresses = regexp.MustCompile(`https?://[^\s<>()\[\]"'*` + "`" + `]+`)
	// ordinals count the parts of a sentence: "1) … 2) …".
	ordinals  = regexp.MustCompile(`(^|[\s(])\d{1,2}\)`)
	thousands = regexp.MustCompile(`^\d{1,3}(?:([.,])\d{3})+$`)
)

// withoutMarkers is a sentence without what only numbers its parts and its sources.
func withoutMarkers(text string) string {
	return asciiDigits(ordinals.ReplaceAllString(markers.ReplaceAllString(text, " "), " "))
}

// claimsOf reads a sentence, which is without markers, in a language.
func claimsOf(text string, in language.Code) *claims {
	c := &claims{names: namesIn(text, in), terms: unique(withoutSingles(lexical.Terms(text, in)))}
	c.addAddresses(addresses.FindAllString(text, -1))
	tokens := tokensOf(addresses.ReplaceAllString(text, " "), in)
	for _, t := range tokens {
		if t.kind == wordToken {
			c.words = append(c.words, t.text)
		}
	}
	dates, part := datesOf(tokens, in)
	c.dates = dates
	for _, q := range quantitiesOf(blanked(tokens, part), in) {
		// A number that is written out is one only with its unit, and "one" is an article.
		if !q.spelled || len(q.keys) > 0 && q.value != "1" || strings.HasPrefix(firstOf(q.keys), "1800 ") {
			c.numbers = append(c.numbers, q)
		}
	}
	c.clauses = joined(clausesOf(tokens, in))
	return c
}

func (c *claims) addAddresses(list []string) {
	for _, address := range list {
		c.addresses = append(c.addresses, strings.TrimRight(address, ".,;:!?"))
	}
}

func firstOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// blanked are tokens without those that are parts of dates.
func blanked(tokens []token, part []bool) []token {
	kept := make([]token, 0, len(tokens))
	for i, t := range tokens {
		if part[i] {
			t = token{kind: signToken, text: ";"}
		}
		kept = append(kept, t)
	}
	return kept
}

// leastTerms is how many terms a clause needs to be looked for on its own.
const leastTerms = 2

func joined(clauses []clause) []clause {
	var kept []clause
	for _, c := range clauses {
		if n := len(kept); n > 0 && (len(c.terms) < leastTerms || len(kept[n-1].terms) < leastTerms) {
			kept[n-1].terms = append(kept[n-1].terms, c.terms...)
			kept[n-1].cues = append(kept[n-1].cues, c.cues...)
			continue
		}
		kept = append(kept, c)
	}
	return kept
}

// withoutSingles leaves out single letters of scripts without spaces, which stand in every
// text, if there are pairs of them.
func withoutSingles(terms []string) []string {
	isPair := func(term string) bool {
		r, size := utf8.DecodeRuneInString(term)
		return lexical.Unspaced(r) && strings.ContainsFunc(term[size:], lexical.Unspaced)
	}
	hasPairs := false
	for _, term := range terms {
		hasPairs = hasPairs || isPair(term)
	}
	if !hasPairs {
		return terms
	}
	kept := terms[:0]
	for _, term := range terms {
		if r, _ := utf8.DecodeRuneInString(term); !lexical.Unspaced(r) || isPair(term) {
			kept = append(kept, term)
		}
	}
	return kept
}

func unique(list []string) []string {
	seen := make(map[string]bool, len(list))
	kept := list[:0]
	for _, item := range list {
		if !seen[item] {
			seen[item] = true
			kept = append(kept, item)
		}
	}
	return kept
}

// maxCapitals is the share of capitalized words from which on a sentence says
// nothing about names: it is a title.
const maxCapitals = 0.5

// german are words of German, where a capital tells nothing either.
var german = setOf(strings.Fields("der die das den dem des ein eine einen einem einer und oder ist sind nicht mit für zu auf im es sie wir ich bei zum zur"))

// namesIn returns the terms of the capitalized words of a sentence that do not
// begin it, or what a colon, a quotation or emphasis opens. In German, every noun has a
// capital.
func namesIn(text string, in language.Code) []string {
	if in == language.German {
		return nil
	}
	words := strings.Fields(addresses.ReplaceAllString(text, " "))
	var names []string
	capitals := 0
	begins := true
	for _, word := range words {
		if german[word] || begins && german[strings.ToLower(word)] {
			return nil
		}
		bare := strings.TrimLeft(word, "(")
		first := []rune(bare + " ")[0]
		if unicode.IsUpper(first) && !begins {
			capitals++
			names = append(names, lexical.Terms(bare, in)...)
		}
		begins = strings.IndexByte(".:!?;*\"|", word[len(word)-1]) >= 0
	}
	if float64(capitals) > maxCapitals*float64(len(words)) {
		return nil
	}
	return names
}
