package account

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"parley/core/account/guessable"
	"parley/core/fault"
)

const minPassword, maxPassword = 10, 256

// normalPassword returns the one form of a password that is hashed, because keyboards and
// systems write the same letters differently: composed or decomposed, in half or full
// width, with one space or another (RFC 8265, section 4.2, with NFKC for NFC).
func normalPassword(password string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Zs, r) {
			return ' '
		}
		return r
	}, norm.NFKC.String(password))
}

// checkPassword refuses a password that the user with an address may not choose. It is
// asked when one is chosen: a password from before there was a rule still signs in.
// It counts letters as people see them, however they were typed.
func checkPassword(password, email string) error {
	local, _, _ := strings.Cut(email, "@")
	n := utf8.RuneCountInString(norm.NFC.String(password))
	password = normalPassword(password)
	switch {
	case n < minPassword:
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
