package chat

import (
	"context"

	"parley/core/knowledge"
)

// Prompt is what a model answers. Messages hold the whole of it as text for a
// language model; the other fields hold its parts for an answerer that is not
// one.
type Prompt struct {
	// Messages are the composed prompt in order: instructions, history and the
	// question with its passages.
	Messages []PromptMessage
	// Question is the user's message as it was sent.
	Question string
	// Passages are the retrieved passages, best first. There may be none.
	Passages []knowledge.Found
	// Whole says that nobody reads the answer before its end. A model may then
	// generate it without a stream and emit it as one piece.
	Whole bool
	// NoAnswer is the text of the owner for a question that the knowledge does
	// not answer. It may be empty.
	NoAnswer string
}

// PromptMessage is one message of a composed prompt.
type PromptMessage struct {
	Role PromptRole
	Text string
}

// PromptRole says who speaks in a prompt.
type PromptRole string

// The roles in a prompt.
const (
	SystemRole    PromptRole = "system"
	UserRole      PromptRole = "user"
	AssistantRole PromptRole = "assistant"
)

// Model is the port to whatever generates an answer. Implementations are safe
// for concurrent use.
type Model interface {
	// Generate calls emit with each piece of the Markdown answer as it comes,
	// in order and never with an empty piece, and returns the usage.
	//
	// It stops promptly, and returns the error, when emit fails or ctx is
	// done. A model that cannot be reached, refuses, or breaks off gives a
	// fault of kind Upstream. What was emitted before stays emitted.
	Generate(ctx context.Context, prompt Prompt, emit func(text string) error) (Usage, error)
	// Check reports whether the model can be reached just now.
	Check(ctx context.Context) error
	// Name is the model's name, for receipts and readiness.
	Name() string
}
