package chatbot

import (
	"time"

	"parley/core/outbox"
)

// SampleLetters returns one of each letter of this package, for people who look at
// them.
func SampleLetters(mails *outbox.Writer) []outbox.Letter {
	expires := time.Date(2026, 11, 16, 9, 30, 0, 0, time.UTC)
	bot := Chatbot{ID: "cb_1", Name: "Help"}
	token := Token{Name: "Website", Hint: "prl_…x7Qa", CreatedBy: "ada@example.com", ExpiresAt: &expires}
	announcer := &Announcer{letters: mails}
	letters := []outbox.Letter{
		letterOfNew(bot, token), letterOfRolled(bot, token, "The old token was revoked at once."),
		letterOfRevoked(bot, token), letterOfExpiring(bot, token),
	}
	for i := range letters {
		letters[i].Link = announcer.tokensOf(bot)
	}
	return letters
}
