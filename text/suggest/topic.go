package suggest

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"parley/text/language"
	sentences "parley/text/sentence"
)

// topics are what people ask in a language: a question, which has a word of its heading, so
// that a search without a model finds it, and the headings about which people ask it. The
// first line has the words that begin questions.
type topics struct {
	interrogatives map[string]bool
	// questions are by heading, in small letters.
	questions map[string]string
}

var topicsOf = language.Once(func(in language.Code) topics {
	of := topics{interrogatives: map[string]bool{}, questions: map[string]string{}}
	for question, words := range in.Named("topics") {
		for word := range strings.SplitSeq(words, "|") {
			if question == "?" {
				of.interrogatives[word] = true
			} else {
				of.questions[word] = question
			}
		}
	}
	return of
})

// topicWords are the words of those headings. None is a name.
var topicWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, in := range language.Codes() {
		for heading := range topicsOf(in).questions {
			for _, word := range strings.Fields(heading) {
				words[word] = true
			}
		}
	}
	return words
})

// topic is what people ask about a heading that many documents have, or empty. Where
// the language is not known, it is English or the only one that has the heading.
func topic(heading string, in language.Code) string {
	heading = strings.ToLower(strings.ReplaceAll(strings.TrimRight(heading, ".:!;, "), "’", "'"))
	if in != "" {
		return topicsOf(in).questions[heading]
	}
	if question := topicsOf(language.English).questions[heading]; question != "" {
		return question
	}
	found := ""
	for _, code := range language.Codes() {
		question := topicsOf(code).questions[heading]
		if question != "" && found != "" {
			return ""
		}
		found += question
	}
	return found
}

// beginsAsking reports whether a text begins like a question. In languages that do not
// begin with the word that asks, it may stand anywhere.
func beginsAsking(text string, in language.Code) bool {
	if in == "" {
		in = language.English
	}
	words := topicsOf(in).interrogatives
	text = strings.ToLower(strings.TrimLeft(text, "¿"))
	if hasUnspaced(text) || in == language.Korean || in == language.Turkish {
		for word := range words {
			if strings.Contains(text, word) {
				return true
			}
		}
		return false
	}
	first, _, _ := strings.Cut(text, " ")
	return words[strings.TrimRight(first, ",")]
}

// asking is the question of a pair with its mark, or empty if it does not ask.
func asking(question string, in language.Code) string {
	switch {
	case sentences.Asks(question):
		return question
	case !beginsAsking(question, in) || strings.HasSuffix(question, ".") || strings.HasSuffix(question, "!"):
		return ""
	}
	switch in {
	case language.Spanish:
		return "¿" + strings.TrimLeft(question, "¿") + "?"
	case language.Chinese, language.Japanese:
		return question + "？"
	case language.Arabic:
		return question + "؟"
	case language.Thai:
		return question
	}
	return question + "?"
}

// selfContained reports whether a heading asks something that is understood without
// what stands around it: "Which lock?" is not.
func selfContained(question string, in language.Code) bool {
	words := len(strings.Fields(question))
	switch {
	case hasUnspaced(question):
		return utf8.RuneCountInString(question) >= 6
	case in == language.English || in == "":
		return words >= 4 && interrogatives.MatchString(question) && !dangling.MatchString(question)
	case slices.Contains(language.Latin, in) && in != language.Finnish && in != language.Turkish:
		return words >= 4
	}
	return words >= 3
}

// hasUnspaced reports whether a text has letters of a script without spaces.
func hasUnspaced(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
	})
}
