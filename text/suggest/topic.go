package suggest

import (
	"embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"parley/text/language"
	sentences "parley/text/sentence"
)

// Each language has a file. Its first line has the words that begin questions, each
// other one a question and the headings about which people ask it. A question has a word
// of its heading, by which a search without a model finds it.
//
//go:embed topics/*.txt
var topicFiles embed.FS

// topics are what people ask in a language.
type topics struct {
	interrogatives map[string]bool
	// questions are by heading, in small letters.
	questions map[string]string
}

var topicsOf = sync.OnceValue(func() map[language.Code]topics {
	all := map[language.Code]topics{}
	files, _ := topicFiles.ReadDir("topics") // it is embedded
	for _, file := range files {
		text, _ := topicFiles.ReadFile("topics/" + file.Name())
		in := topics{interrogatives: map[string]bool{}, questions: map[string]string{}}
		for line := range strings.Lines(string(text)) {
			words := strings.Split(strings.TrimSpace(line), "|")
			for _, word := range words[1:] {
				if words[0] == "?" {
					in.interrogatives[word] = true
				} else {
					in.questions[word] = words[0]
				}
			}
		}
		all[language.Code(strings.TrimSuffix(file.Name(), ".txt"))] = in
	}
	return all
})

// topicWords are the words of those headings. None is a name.
var topicWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, of := range topicsOf() {
		for heading := range of.questions {
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
	all := topicsOf()
	if in != "" {
		return all[in].questions[heading]
	}
	if question := all[language.English].questions[heading]; question != "" {
		return question
	}
	found := ""
	for _, of := range all {
		question := of.questions[heading]
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
	words := topicsOf()[in].interrogatives
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
