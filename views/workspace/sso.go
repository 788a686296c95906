package workspace

import "parley/views/ui"

// SSO is the page of a workspace's single sign-on.
type SSO struct {
	// Form is the connection.
	Form ui.Form
	// Result says that a test went well.
	Result string
	// ReturnURL is what the provider has to know as the redirect address.
	ReturnURL string
	// Upgrade says why there is none to set up.
	Upgrade string
	// Saved says that there is a connection. The rest is about it.
	Saved     bool
	Confirmed bool
	// Domain is the saved one, and RecordName and RecordText its DNS record.
	Domain, RecordName, RecordText string
}

// badge says whether people can sign in.
func (m SSO) badge() (ui.Tone, string) {
	if m.Confirmed {
		return ui.Good, "Confirmed"
	}
	return ui.Warn, "Not confirmed"
}

// secretInput is the client secret. A saved one is never shown again.
func (m SSO) secretInput() ui.Input {
	input := ui.Input{Name: "client_secret", Label: "Client secret", Type: "password", Autocomplete: "off", Required: !m.Saved, Hint: "Parley keeps it encrypted and never shows it again."}
	if m.Saved {
		input.Hint = "Saved. Leave it empty to keep it."
	}
	return input
}

// ssoRoles are the roles with which people join.
var ssoRoles = []ui.Option{
	{Value: "", Text: "Let in members and invited people only"},
	{Value: "member", Text: "Let everybody of the domain join as member"},
	{Value: "admin", Text: "Let everybody of the domain join as admin"},
}
