package bot

import "parley/views/ui"

// Welcome is the page where a new chatbot gets its first knowledge.
type Welcome struct {
	Files, Address ui.Form
	// MayEdit shows the forms.
	MayEdit bool
	// Working counts the documents and addresses that are being worked on, and
	// Ready those that can be answered from.
	Working, Ready int
	// Documents are the latest, for the list that is watched.
	Documents []WelcomeDocument
}

// WelcomeDocument is a document on its way.
type WelcomeDocument struct{ Title, State, Reason string }

func (d WelcomeDocument) tone() ui.Tone {
	switch d.State {
	case "ready":
		return ui.Good
	case "failed":
		return ui.Bad
	}
	return ui.Accent
}

// refused says that something was not taken, and why is beside it.
func (m Welcome) refused() bool { return m.Files.Message != "" || m.Address.Message != "" }

// started says that something was added.
func (m Welcome) started() bool { return m.Working+m.Ready > 0 || len(m.Documents) > 0 }
