package bot

import (
	"strings"

	"parley/views/ui"
)

// Answering is the part of a chatbot's settings about how it answers.
type Answering struct {
	// Providers are the workspace's providers, by ID and name.
	Providers []ui.Option
	// Own are the names of the server's own models, its default first.
	Own []string
}

// What the selects have beside providers. No provider has such an ID.
const (
	// OwnModel is the server's own.
	OwnModel = "own"
	// NoModel is none at all.
	NoModel = "none"
)

const ownName = "This server's own"

func (a Answering) first() []ui.Option {
	return append([]ui.Option{{Value: OwnModel, Text: ownName}}, a.providers()...)
}

func (a Answering) fallbacks() []ui.Option {
	return append([]ui.Option{{Value: NoModel, Text: "No other model"}, {Value: OwnModel, Text: ownName}}, a.providers()...)
}

func (a Answering) providers() []ui.Option {
	all := make([]ui.Option, len(a.Providers))
	for i, p := range a.Providers {
		all[i] = ui.Option(p)
	}
	return all
}

// nameHint says which names a model may have.
func (a Answering) nameHint() string {
	hint := "As its provider writes it, such as gpt-4o-mini or claude-sonnet-4-5."
	if len(a.Own) == 0 {
		return hint
	}
	return hint + " This server has: " + strings.Join(a.Own, ", ") + ". Leave it empty for the first."
}
