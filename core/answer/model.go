package answer

import (
	"context"

	"parley/core/answer/prompt"
	"parley/core/chatbot"
)

// Generated is what a model returned besides the text that it emitted.
type Generated struct {
	Usage Usage
	// Model is the name of the model that answered.
	Model string
	// Calls are the tools that the model wants called before it goes on. There
	// are none unless the prompt offered tools.
	Calls []prompt.Call
	// Finish is why the model ended. It is empty if the model did not say.
	Finish FinishReason
}

// FinishReason says why a model ended an answer.
type FinishReason string

// The reasons.
const (
	// FinishStop is an answer that the model took to its end.
	FinishStop FinishReason = "stop"
	// FinishLength is an answer that the limit of tokens cut.
	FinishLength FinishReason = "length"
	// FinishContentFilter is an answer that a filter of the provider cut.
	FinishContentFilter FinishReason = "content_filter"
)

// Cut reports whether the answer lacks its end.
func (f FinishReason) Cut() bool { return f == FinishLength || f == FinishContentFilter }

// Traits say what a model can do.
type Traits struct {
	// Language says that it follows instructions in words. A model without
	// answers from the parts of the prompt.
	Language bool
	// Tools says that it can call tools.
	Tools bool
	// Context is how many tokens the prompt and the answer may have together.
	Context int
}

// Model is the port to whatever generates an answer. Implementations are safe
// for concurrent use.
type Model interface {
	// Generate calls emit with each piece of the Markdown answer as it comes,
	// in order and never with an empty piece.
	//
	// It stops promptly, and returns the error, when emit fails or ctx is
	// done. A model that cannot be reached, refuses, or breaks off gives a
	// fault of kind Upstream. What was emitted before stays emitted, and what
	// was used up to then is in the usage, counted if need be.
	//
	// A model that returns calls may have emitted text before them.
	Generate(ctx context.Context, prompt prompt.Prompt, emit func(text string) error) (Generated, error)
	// Count returns the tokens of a text, as the model counts them or nearly so.
	Count(text string) int
	// Traits say what the model can do. They do not change.
	Traits() Traits
	// Check reports whether the model can be reached just now.
	Check(ctx context.Context) error
	// Name is the model's name, for usage records and readiness.
	Name() string
}

// Models is the port to what knows which model answers for a chatbot.
type Models interface {
	// For returns the model that a chatbot's owner has chosen, with the second
	// one behind it if there is one. It is the default where nothing was
	// chosen. A provider that was taken away is an Upstream fault.
	For(ctx context.Context, bot *chatbot.Chatbot) (Model, error)
	// Default is the server's own model.
	Default() Model
}

// Always returns Models that give every chatbot the same model.
func Always(model Model) Models { return always{model} }

type always struct{ model Model }

func (a always) For(context.Context, *chatbot.Chatbot) (Model, error) { return a.model, nil }
func (a always) Default() Model                                       { return a.model }

// CheckModel reports whether the server's own model can be reached just now.
func (p *Pipeline) CheckModel(ctx context.Context) error { return p.models.Default().Check(ctx) }

// ModelName is the name of the server's own model.
func (p *Pipeline) ModelName() string { return p.models.Default().Name() }

// CountTokens counts the tokens of a text as the server's own model does.
func (p *Pipeline) CountTokens(text string) int { return p.models.Default().Count(text) }

// windowOf is a model's context window.
func windowOf(model Model) prompt.Window {
	return prompt.Window{Tokens: model.Traits().Context, Count: model.Count}
}
