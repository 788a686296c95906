package account

import (
	"strings"
	"unicode/utf8"

	"parley/core/account/guessable"
	"parley/core/fault"
	"parley/text/writing"
)

const minPassword, maxPassword = 10, 256

// checkPassword refuses a password that the user with an address may not choose. It is
// asked when one is chosen: a password from before there was a rule still signs in.
// However its letters are typed, the same rule holds.
func checkPassword(password, email string) error {
	local, _, _ := strings.Cut(email, "@")
	typed := utf8.RuneCountInString(password)
	password = writing.Typed(password)
	switch n := utf8.RuneCountInString(password); {
	case min(n, typed) < minPassword: // one sign may stand for many letters
		return fault.InField("password", "Choose a password of at least %d characters.", minPassword)
	case n > maxPassword:
		return fault.InField("password", "Choose a password of at most %d characters.", maxPassword)
	case strings.EqualFold(password, email), strings.EqualFold(password, local):
		return fault.InField("password", "Choose a password that is not your e-mail address.")
	case guessable.Is(password):
		return fault.InField("password", "Many people use this password, so attackers try it first. Choose another.")
	}
	return nil
}
