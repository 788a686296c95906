package embedded

import (
	"slices"
	"strings"
	"unicode"
)

const (
	// maxTerms is the number of terms of a question that are searched for. The
	// time of a search grows with it.
	maxTerms = 32
	// maxContextTerms is the same for the questions before it.
	maxContextTerms = 16
	// contextTurns is how many earlier questions carry over terms.
	contextTurns = 2
	// maxTermBytes is the longest term. Nobody asks for longer ones.
	maxTermBytes = 128
)

// matches are the two FTS5 expressions of a search. Either may be [nothing].
type matches struct {
	question string
	// context holds the terms of earlier questions that the question lacks.
	context string
}

// buildMatches makes the expressions of a question and the questions before
// it, oldest first. No text makes it fail or reaches FTS5 as syntax: terms
// hold letters, numbers and marks only, and are quoted.
func buildMatches(question string, earlier []string) matches {
	own := terms(question)
	if len(earlier) > contextTurns {
		earlier = earlier[len(earlier)-contextTurns:]
	}
	var carried []string
	for _, text := range slices.Backward(earlier) {
		for _, term := range terms(text) {
			if !slices.Contains(own, term) && !slices.Contains(carried, term) && !isStopWord(term) {
				carried = append(carried, term)
			}
		}
	}
	return matches{question: anyOf(own), context: anyOf(carried[:min(len(carried), maxContextTerms)])}
}

// nothing is the expression that nothing fulfils. FTS5 refuses an empty one.
const nothing = `""`

// anyOf joins terms to an expression that any of them fulfils.
func anyOf(terms []string) string {
	return `"` + strings.Join(terms, `" OR "`) + `"`
}

// terms returns the distinct terms of a text in lower case, without stop words
// unless nothing else is left. Of a text with too many it takes the first and
// the last: a pasted log has the question before or behind it.
func terms(text string) []string {
	var content, stops []string
	seen := map[string]bool{}
	for _, word := range strings.FieldsFunc(separate(text), notInTerm) {
		word = strings.ToLower(word)
		if len(word) > maxTermBytes || seen[word] {
			continue
		}
		seen[word] = true
		if isStopWord(word) {
			stops = append(stops, word)
			continue
		}
		content = append(content, word)
	}
	if len(content) == 0 {
		content = stops
	}
	if len(content) > maxTerms {
		content = append(content[:maxTerms/2:maxTerms/2], content[len(content)-maxTerms/2:]...)
	}
	return content
}

// notInTerm reports what the tokenizer unicode61 parts words at.
func notInTerm(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
}
