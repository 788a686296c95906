package views

import "strings"

// Answering is the part of a chatbot's settings about how it answers.
type Answering struct {
	// Providers are those of the workspace, by ID and name.
	Providers []Choice
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

func (a Answering) first() []option {
	return append([]option{{OwnModel, ownName}}, a.providers()...)
}

func (a Answering) second() []option {
	return append([]option{{NoModel, "No other model"}, {OwnModel, ownName}}, a.providers()...)
}

func (a Answering) providers() []option {
	all := make([]option, len(a.Providers))
	for i, p := range a.Providers {
		all[i] = option(p)
	}
	return all
}

// nameHint says what the name of a model is to be.
func (a Answering) nameHint() string {
	hint := "As its provider writes it, such as gpt-4o-mini or claude-sonnet-4-5."
	if len(a.Own) == 0 {
		return hint
	}
	return hint + " Of this server's own it is one of " + strings.Join(a.Own, ", ") + "; left empty, it is the first of these."
}
