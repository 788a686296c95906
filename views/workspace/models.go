package workspace

import (
	"parley/views/shell"
	"parley/views/ui"
)

// Models is the page of a workspace's providers of models.
type Models struct {
	Providers []Provider
	// Own are the names of the server's own models, its default first.
	Own []string
	// MayManage shows what adds, changes and removes.
	MayManage bool
	// Form is the one that adds a provider, and Result what a test of it gave.
	Form   ui.Form
	Result string
}

// Provider is a service of models that the workspace has an account with.
type Provider struct {
	ID, Name string
	// Kind is openai or anthropic.
	Kind string
	// Address is empty for the kind's own server.
	Address string
	// KeyHint is "…" with the end of the key, "…" alone, or empty without one.
	KeyHint string
	Tools   bool
	// UsedBy are the chatbots that answer by it.
	UsedBy []shell.Chatbot
}

// providerKinds are in the order of the form.
var providerKinds = []string{"openai", "anthropic"}

var providerKindNames = map[string]string{"openai": "OpenAI, or compatible with it", "anthropic": "Anthropic"}

// where is the address that is asked, or whose it is.
func (p Provider) where() string {
	switch {
	case p.Address != "":
		return p.Address
	case p.Kind == "anthropic":
		return "Anthropic's own"
	}
	return "OpenAI's own"
}

// key says whether there is a key, and how it ends.
func (p Provider) key() string {
	switch p.KeyHint {
	case "":
		return "No key"
	case "…":
		return "A key"
	}
	return "Key ends in " + p.KeyHint
}

// keyInput is for a new key. Its kind keeps browsers from filling in the
// password of the person, which they do in spite of "off".
func (p Provider) keyInput() ui.Input {
	i := ui.Input{Name: "key", Label: "Key", Type: "password", Autocomplete: "new-password"}
	switch {
	case p.ID == "":
		i.Hint = "The API key that the provider gave you. It is stored encrypted and never shown again. Leave it empty for a server that needs no key."
	case p.KeyHint == "":
		i.Hint = "There is no key yet."
	default:
		i.Hint = p.key() + ". Left empty, it stays as it is. Another server's address needs the key again."
	}
	return i
}
