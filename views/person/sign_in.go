// Package person owns a person's own pages, those without a session, and the
// models that they show.
//
// It does not own what the models hold (package web/person). Nothing is fetched
// or decided here.
package person

import (
	"parley/views/shell"
	"parley/views/ui"
)

// SignIn is the page to sign in.
type SignIn struct {
	Form ui.Form
	// SignUp says whether accounts can be created without an invitation.
	SignUp bool
}

// below leads to the sign-up where that is open.
func (m SignIn) below(l shell.Layout) shell.Layout {
	if m.SignUp {
		return l.Below(toSignUp())
	}
	return l
}
