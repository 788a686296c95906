// Package courtesy knows what people say who ask nothing, such as "hello", and what returns
// it: hello, you_are_welcome and goodbye return what the lists greetings, thanks and
// farewells of a language have, with commas between.
//
// It does not own what else Parley says (package text/language), nor whether a chatbot's
// owner says it in other words (package core/answer/prompt).
package courtesy

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"parley/text/language"
)

// Kind is a kind of courtesy.
type Kind int

// The kinds.
const (
	None Kind = iota
	// Greeting is "hello", Thanks is "thank you", and Farewell is "goodbye".
	Greeting
	Thanks
	Farewell
)

const (
	// longest is how long, in bytes, a message is at most that says nothing else.
	longest = 120
	// mostWords is how many words a courtesy has at most.
	mostWords = 5
)

// Courtesy is something that people say, in a language.
type Courtesy struct {
	Kind Kind
	// Reply returns it, in the name of {name}.
	Reply string
	in    language.Code
}

// Of says which courtesy a message ends with that has nothing but courtesies: in the likely
// language if it has such words, or else in another. The zero Courtesy stands for all other
// messages.
func Of(message string, likely language.Code) Courtesy {
	if len(message) > longest || strings.ContainsFunc(message, unicode.IsDigit) {
		return Courtesy{}
	}
	words, known := wordsOf(message), byWords()
	var last Courtesy
	for len(words) > 0 {
		said := min(mostWords, len(words))
		for said > 0 && known[strings.Join(words[:said], " ")] == nil {
			said--
		}
		if said == 0 {
			return Courtesy{}
		}
		found := known[strings.Join(words[:said], " ")]
		last = found[max(0, slices.IndexFunc(found, func(c Courtesy) bool { return c.in == likely }))]
		words = words[said:]
	}
	return last
}

// byWords are the courtesies of all languages by their words, those in the languages first
// that words in several are taken for.
var byWords = sync.OnceValue(func() map[string][]Courtesy {
	all := map[string][]Courtesy{}
	for _, in := range language.Codes() {
		lines := maps.Collect(in.Named("courtesy"))
		for kind, name := range map[Kind][2]string{Greeting: {"greetings", "hello"}, Thanks: {"thanks", "you_are_welcome"}, Farewell: {"farewells", "goodbye"}} {
			for said := range strings.SplitSeq(lines[name[0]], ",") {
				said = strings.Join(wordsOf(said), " ")
				all[said] = append(all[said], Courtesy{kind, lines[name[1]], in})
			}
		}
	}
	for _, courtesies := range all {
		slices.SortFunc(courtesies, func(a, b Courtesy) int {
			return cmp.Or(cmp.Compare(place(a.in), place(b.in)), cmp.Compare(a.in, b.in), cmp.Compare(a.Kind, b.Kind))
		})
	}
	return all
})

// place orders languages: English, the others in Latin letters, and the rest.
func place(in language.Code) int {
	if in == language.English {
		return 0
	}
	if slices.Contains(language.Latin, in) {
		return 1
	}
	return 2
}

// wordsOf returns the words of a text, folded.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
	for i, word := range words {
		words[i] = language.Fold(word)
	}
	return words
}
