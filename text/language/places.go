package language

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed places.txt
var placeLines string

// places has for each language the words that ask for a place, and those that documents
// have where they tell one.
var places = sync.OnceValue(func() map[Code][2]string {
	all := map[Code][2]string{}
	for line := range strings.Lines(placeLines) {
		code, words, _ := strings.Cut(line, "=")
		ask, tell, _ := strings.Cut(words, "|")
		all[Code(strings.TrimSpace(code))] = [2]string{strings.TrimSpace(ask), strings.TrimSpace(tell)}
	}
	return all
})

// PlaceWords returns the words that documents have where they tell a place, such as
// "address", if a question in the language asks for one, and nothing otherwise. A language
// that is not known is taken for English.
func (c Code) PlaceWords(question string) string {
	words, known := places()[c]
	if !known {
		words = places()[English]
	}
	asked := strings.ToLower(question)
	for ask := range strings.FieldsSeq(words[0]) {
		if unspaced[c] && strings.Contains(asked, ask) || hasWord(asked, ask) {
			return words[1]
		}
	}
	return ""
}

// unspaced are the languages without spaces between words, or with particles joined to them.
var unspaced = map[Code]bool{Chinese: true, Japanese: true, Korean: true, Thai: true}

func hasWord(text, word string) bool {
	for field := range fieldsOf(text) {
		if field == word {
			return true
		}
	}
	return false
}
