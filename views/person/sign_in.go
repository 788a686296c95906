// Package person owns a person's own pages, those without a session, and the
// models that they show.
//
// It does not own what the models hold (package web/person). Nothing is fetched
// or decided here.
package person

import (
	"net/url"

	"parley/views/shell"
	"parley/views/ui"
)

// SignIn is the page to sign in.
type SignIn struct {
	Form ui.Form
	// SignUp says whether accounts can be created without an invitation.
	SignUp bool
	// Passkeys says that browsers have passkeys for this server's address.
	Passkeys bool
	// Provider is the name of the installation's identity provider, or empty.
	Provider string
}

// ssoURL is the page that finds a workspace's identity provider.
func (m SignIn) ssoURL() string {
	if next := m.Form.Value("next"); next != "" && next != "/" {
		return "/sign-in/sso?next=" + url.QueryEscape(next)
	}
	return "/sign-in/sso"
}

// below leads to the sign-up where that is open.
func (m SignIn) below(l shell.Layout) shell.Layout {
	if m.SignUp {
		return l.Below(toSignUp())
	}
	return l
}
