// Package person owns a person's own pages, those without a session, and the
// models that they show.
//
// It does not own what the models hold (package web/person). Nothing is fetched
// or decided here.
package person

import "parley/views/ui"

// SignIn is the page to sign in.
type SignIn struct {
	Form ui.Form
	// Notice says what has just been done.
	Notice string
	// SignUp says whether accounts can be created without an invitation.
	SignUp bool
}
