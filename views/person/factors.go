package person

import (
	"fmt"
	"time"

	"parley/views/ui"
)

// Factors are the second factors of a person.
type Factors struct {
	// App says that an authenticator app is set up, and Any that anything is.
	App, Any bool
	Passkeys []Passkey
	// Possible says that browsers make passkeys for this server's address.
	Possible bool
	// RecoveryCodes are how many are left.
	RecoveryCodes int
	// Form adds a passkey.
	Form ui.Form
	// Renamed is the passkey whose new name was refused, and Rename that form.
	Renamed string
	Rename  ui.Form
}

// renaming is the form that gives a passkey another name.
func (m Factors) renaming(key Passkey) ui.Form {
	if m.Renamed == key.ID {
		return m.Rename
	}
	return ui.Form{Values: map[string]string{"new_name": key.Name}}
}

// Passkey is one of them.
type Passkey struct {
	ID, Name   string
	CreatedAt  time.Time
	LastUsedAt *time.Time
}

// App is the page that sets up an authenticator app.
type App struct {
	Form   ui.Form
	Secret string
	// Size and Path draw the QR code: see package qr.
	Size int
	Path string
}

func (m App) viewBox() string { return fmt.Sprintf("0 0 %d %d", m.Size, m.Size) }

// grouped is the secret in groups of four, for typing.
func (m App) grouped() string {
	text := ""
	for i, r := range m.Secret {
		if i > 0 && i%4 == 0 {
			text += " "
		}
		text += string(r)
	}
	return text
}

// Proof asks for a second factor.
type Proof struct {
	Form ui.Form
	// App, Passkeys and Recovery are the ways that there are.
	App, Passkeys, Recovery bool
}

// Confirm asks a person again who they are.
type Confirm struct {
	Proof
	// Password says that the person has one.
	Password bool
	// Places are the identity providers that can say who the person is.
	Places []Place
	// To is where a form was sent that waits, and Carried are its inputs.
	To      string
	Carried []Carried
	// Kept is what a script keeps of the form for its page, and Resend says that the
	// person sends it again.
	Kept   string
	Resend bool
	// Factor says who asks for a second factor, where a password is not enough.
	Factor string
	// Back is the page that the person came from, if it can be seen without a proof.
	Back string
}

// ProvedNotice is what the next page says to whoever has shown again who they are.
const ProvedNotice = "Confirmed"

// Place is an identity provider.
type Place struct{ WorkspaceID, Name string }

// stuck says that there is no way to show who one is.
func (m Confirm) stuck() bool {
	return !m.Password && !m.App && !m.Passkeys && !m.Recovery && len(m.Places) == 0
}

// Carried is an input of a form that waits.
type Carried struct{ Name, Value string }

var (
	appCode      = ui.Input{Name: "code", Label: "Code", Autocomplete: "one-time-code", Mode: "numeric", Required: true, Hint: "The six digits that your authenticator app shows now."}
	recoveryCode = ui.Input{Name: "recovery_code", Label: "Recovery code", Autocomplete: "off", Required: true, Hint: "One of the codes that you saved. Each works once."}
)

// confirming is an input by the name that it has on the page that asks again.
func confirming(i ui.Input) ui.Input {
	i.Name = "confirm_" + i.Name
	return i
}

func (m Confirm) action() string {
	if m.To == "" {
		return "/confirm"
	}
	return "/confirm?to=" + m.To
}

func (m Confirm) about() string {
	if m.Factor != "" {
		return m.Factor
	}
	const why = "You signed in a while ago. Confirm that it's you to continue."
	switch {
	case m.Resend && m.Kept != "":
		return why + " Then send the form again. Your entries are kept, except for secrets."
	case m.Resend:
		return why + " Then choose the action once more."
	}
	return why
}
