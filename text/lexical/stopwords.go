package lexical

import (
	_ "embed"
	"slices"
	"strings"

	"parley/text/language"
)

//go:embed stopwords.txt
var stopWordList string

//go:embed fillers.txt
var fillerList string

// stopWords are English words that say nothing about what a question is about, and words of
// polite conversation. Other languages have their function words.
var stopWords = func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(stopWordList) {
		set[word] = true
	}
	return set
}()

// Names reports whether a text has a word that names something: a search for others finds
// anything.
func Names(text string, in language.Code) bool {
	return slices.ContainsFunc(Terms(text, in), func(term string) bool { return !fillers[term] })
}

// fillers are the terms of words that ask rather than name, such as "explain"
// and "information". Passages have them, and questions weigh them low.
var fillers = func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(fillerList) {
		set[analyzers[language.English].termOf(word)] = true
	}
	return set
}()
