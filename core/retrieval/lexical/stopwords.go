package lexical

import (
	_ "embed"
	"strings"

	"parley/core/language"
)

//go:embed stopwords.txt
var stopWordList string

//go:embed fillers.txt
var fillerList string

// stopWords are English words that say nothing about what a question is about,
// and those of polite conversation. Other languages have their function words.
var stopWords = func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(stopWordList) {
		set[word] = true
	}
	return set
}()

// fillers are the terms of words that ask rather than name, such as "explain"
// and "information". Passages have them, and questions weigh them low.
var fillers = func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(fillerList) {
		set[analyzers[language.English].termOf(word)] = true
	}
	return set
}()
