package language

import (
	"maps"
	"strings"
)

// PlaceWords returns the words that documents have where they tell a place, such as
// "address", if a question in the language asks for one, and nothing otherwise. A language
// that is not known is taken for English.
func (c Code) PlaceWords(question string) string {
	words := maps.Collect(c.OrEnglish().Named("places"))
	asked := strings.ToLower(question)
	for ask := range strings.FieldsSeq(words["ask"]) {
		if c.Unspaced() && strings.Contains(asked, ask) || hasWord(asked, ask) {
			return words["tell"]
		}
	}
	return ""
}

func hasWord(text, word string) bool {
	for field := range fieldsOf(text) {
		if field == word {
			return true
		}
	}
	return false
}
