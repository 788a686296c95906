package language

import (
	"maps"
	"strings"
	"testing"
)

func TestPlaceWords(t *testing.T) {
	for question, word := range map[string]string{
		"Where are you located?": "address", "where is it": "address", "Wo finde ich euch?": "Adresse", "Où êtes-vous ?": "adresse", "你们在哪里？": "地址", "場所はどこですか？": "住所",
		"When do you open?": "", "Wer seid ihr?": "", "nowhere": "",
	} {
		t.Run("a question for a place has the words of places, and no other: "+question, func(t *testing.T) {
			if got := Of(question).PlaceWords(question); word == "" && got != "" || !strings.Contains(got, word) {
				t.Errorf("got %q", got)
			}
		})
	}
	t.Run("each language of answers has words for places", func(t *testing.T) {
		for _, code := range Codes() {
			if words := maps.Collect(code.Named("places")); words["ask"] == "" || words["tell"] == "" {
				t.Errorf("%s has none", code)
			}
		}
	})
}
