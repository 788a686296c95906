package prompt

import (
	"testing"

	"parley/core/chatbot"
	"parley/text/language"
)

func TestNoAnswer(t *testing.T) {
	bare := &chatbot.Chatbot{Name: "The bakery"}
	own := &chatbot.Chatbot{Name: "The bakery", NoAnswer: "Ask at the desk."}
	own.Greeting.Welcome = "Welcome to the bakery!"
	for sentence, c := range map[string]struct {
		bot            *chatbot.Chatbot
		question, want string
	}{
		"a question gets the owner's text":                              {own, "Why?", "Ask at the desk."},
		"without one it gets a sentence in its language":                {bare, "Wann machen Sie morgen auf?", language.PhrasesIn(language.German).NoAnswer},
		"a greeting gets the owner's welcome text":                      {own, "hello", "Welcome to the bakery!"},
		"without one it is greeted in its language, with the name":      {bare, "Bonjour", "Bonjour ! Posez une question à The bakery."},
		"thanks get a reply in their language, whatever the owner says": {own, "Gracias!", "De nada. Puede hacer otra pregunta cuando quiera."},
		"so does a farewell":                                            {own, "bye", "Goodbye!"},
	} {
		t.Run(sentence, func(t *testing.T) {
			if got := NoAnswer(c.bot, c.question, LanguageOf(c.question, nil)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
