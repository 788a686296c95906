package person

import (
	"time"

	"parley/views/ui"
)

// The pages about oneself are tabs.
const (
	accountURL    = "/account"
	securityURL   = "/account/security"
	sessionsURL   = "/account/sessions"
	appearanceURL = "/account/appearance"
	privacyURL    = "/account/privacy"
)

func accountTabs(current string) []ui.Tab {
	tabs := []ui.Tab{
		{Text: "Profile", URL: accountURL},
		{Text: "Security", URL: securityURL},
		{Text: "Sessions", URL: sessionsURL},
		{Text: "Appearance", URL: appearanceURL},
		{Text: "Privacy", URL: privacyURL},
	}
	for i := range tabs {
		tabs[i].Current = tabs[i].URL == current
	}
	return tabs
}

// Profile is the page about oneself.
type Profile struct {
	NameForm, EmailForm ui.Form
	// Password says that the person has one.
	Password bool
}

// Session is a browser in which a person is signed in.
type Session struct {
	ID, Device, Network string
	LastSeenAt, Since   time.Time
	// Here says that it is the one that looks.
	Here bool
}

// appearances are the choices in the order of the form.
var appearances = []ui.Input{
	{Name: "system", Label: "System", Hint: "Match your device."},
	{Name: "light", Label: "Light"},
	{Name: "dark", Label: "Dark"},
}

func aboutPassword(has bool) string {
	if has {
		return "A new password signs you out of all other browsers."
	}
	return "You have none, because you sign in by an identity provider or a passkey. You can choose one beside that."
}

func passwordButton(has bool) string {
	if has {
		return "Change the password"
	}
	return "Choose a password"
}
