package grounding

import (
	"regexp"
	"strings"
	"unicode"

	"parley/core/retrieval/lexical"
)

// claims are what must stand in the passages for a sentence to be supported.
type claims struct {
	// terms are the sentence's words as retrieval analyzes them, each once.
	terms []string
	// names are the terms of words that are capitalized within it.
	names     []string
	numbers   []string
	addresses []string
}

var (
	markers   = regexp.MustCompile(`\[\d{1,3}\]`)
	addresses = regexp.MustCompile(`https?://[^\s<>()\[\]"'*` + "`" + `]+`)
	numerals  = regexp.MustCompile(`\d+(?:[.,:]\d+)*`)
	// ordinals count the parts of a sentence: "1) … 2) …".
	ordinals  = regexp.MustCompile(`(^|[\s(])\d{1,2}\)`)
	thousands = regexp.MustCompile(`^\d{1,3}(?:([.,])\d{3})+$`)
)

func claimsOf(text string) claims {
	text = ordinals.ReplaceAllString(markers.ReplaceAllString(text, " "), " ")
	c := claims{numbers: unique(numbersOf(text)), names: namesIn(text)}
	for _, address := range addresses.FindAllString(text, -1) {
		c.addresses = append(c.addresses, strings.TrimRight(address, ".,;:!?"))
	}
	c.terms = unique(lexical.Terms(text, ""))
	return c
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

// numbersOf returns the numbers of a text, except those in addresses, in one
// notation: without separators between thousands, with a point before decimals,
// and without trailing zeros.
func numbersOf(text string) []string {
	var list []string
	for _, number := range numerals.FindAllString(addresses.ReplaceAllString(text, " "), -1) {
		if mark := thousands.FindStringSubmatch(number); mark != nil {
			number = strings.ReplaceAll(number, mark[1], "")
		}
		number = strings.NewReplacer(",", ".", ":", ".").Replace(number)
		if strings.Contains(number, ".") {
			number = strings.TrimSuffix(strings.TrimRight(number, "0"), ".")
		}
		list = append(list, number)
	}
	return list
}

// numberWords are the words of small numbers: a passage that spells one out has
// the number.
var numberWords = map[string]string{
	"2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight", "9": "nine", "10": "ten", "11": "eleven", "12": "twelv",
}

// maxCapitals is the share of capitalized words from which on a sentence says
// nothing about names: it is a title.
const maxCapitals = 0.5

// german are words of German, where a capital tells nothing either.
var german = setOf(strings.Fields("der die das den dem des ein eine einen einem einer und oder ist sind nicht mit für zu auf im es sie wir ich bei zum zur"))

// namesIn returns the terms of the capitalized words of a sentence that do not
// begin it, or what a colon, a quotation or emphasis opens.
func namesIn(text string) []string {
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
			names = append(names, lexical.Terms(bare, "")...)
		}
		begins = strings.IndexByte(".:!?;*\"|", word[len(word)-1]) >= 0
	}
	if float64(capitals) > maxCapitals*float64(len(words)) {
		return nil
	}
	return names
}
