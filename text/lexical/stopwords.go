package lexical

import (
	"slices"

	"parley/text/language"
)

// stopWords are the words of a language that say nothing about what a text is about. In
// English they are also words of polite conversation.
func stopWords(in language.Code) map[string]bool {
	stop := map[string]bool{}
	for _, word := range append(in.Words("words"), in.Words("stop")...) {
		stop[language.Fold(word)] = true
	}
	return stop
}

// Names reports whether a text has a word that names something: a search for others finds
// anything.
func Names(text string, in language.Code) bool {
	return slices.ContainsFunc(Terms(text, in), func(term string) bool { return !fillers[term] })
}

// fillers are the terms of words that ask rather than name, such as "explain"
// and "information". Passages have them, and questions weigh them low.
var fillers = func() map[string]bool {
	set := map[string]bool{}
	for _, word := range language.English.Words("fillers") {
		set[analyzers[language.English].termOf(word)] = true
	}
	return set
}()
