package account

import (
	"time"

	"parley/core/outbox"
)

// SampleLetters returns one of each letter of this package, for people who look at
// them.
func SampleLetters(mails *outbox.Writer) []outbox.Letter {
	addresses, signUp, reset := &Addresses{mails: mails}, signUpLetters(mails), resetLetters(mails)
	return []outbox.Letter{
		signUp.unknown("code"), signUp.known(""), confirmLetter(mails)("code"),
		reset.known("code"), reset.unknown(""), passwordLetter(mails),
		(&Sessions{mails: mails}).newBrowserLetter(Session{
			Agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", Network: "192.0.2.7",
			CreatedAt: time.Date(2026, 11, 2, 9, 30, 0, 0, time.UTC),
		}),
		addresses.newLetter("code"), addresses.takenLetter(""), addresses.movedLetter("ada@new.example.com"),
	}
}
