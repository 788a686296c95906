package account

import "parley/core/outbox"

// SampleLetters returns one of each letter of this package, for people who look at
// them.
func SampleLetters(mails *outbox.Writer) []outbox.Letter {
	addresses, signUp := &Addresses{mails: mails}, signUpLetters(mails)
	return []outbox.Letter{
		signUp.unknown("code"), signUp.known(""),
		addresses.newLetter("code"), addresses.takenLetter(""), addresses.movedLetter("ada@new.example.com"),
	}
}
