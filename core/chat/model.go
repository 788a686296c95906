package chat

import (
	"context"

	"parley/core/chatbot"
	"parley/core/retrieval"
)

// Prompt is what a model answers. Messages hold the whole of it as text for a
// language model; Question, Passages and NoAnswer hold its parts for an
// answerer that is not one.
type Prompt struct {
	// Messages are the composed prompt in order: instructions, history and the
	// question with its passages, and then the calls of tools with what came
	// of them.
	Messages []PromptMessage
	// Tools are what a language model may call instead of answering. There are
	// none for a model whose [Traits] lack them.
	Tools []Tool
	// Question is the user's message as it was sent.
	Question string
	// Passages are the retrieved passages, best first. There may be none. A
	// citation counts them from 1: see [Citation].
	Passages []retrieval.Result
	// Whole says that nobody reads the answer before its end. A model may then
	// generate it without a stream and emit it as one piece.
	Whole bool
	// NoAnswer is the text of the owner for a question that the knowledge does
	// not answer. It may be empty.
	NoAnswer string
	// MaxTokens bounds the answer. Zero leaves it to the model.
	MaxTokens int
	// Temperature is left to the model when it is nil.
	Temperature *float64
}

// PromptMessage is one message of a composed prompt.
type PromptMessage struct {
	Role PromptRole
	Text string
	// Calls are the tools that the assistant called in this message.
	Calls []ToolCall
	// CallID is that of the call which a tool's message answers.
	CallID string
}

// PromptRole says who speaks in a prompt.
type PromptRole string

// The roles in a prompt.
const (
	SystemRole    PromptRole = "system"
	UserRole      PromptRole = "user"
	AssistantRole PromptRole = "assistant"
	ToolRole      PromptRole = "tool"
)

// Tool is something that a model may ask for.
type Tool struct {
	Name, Description string
	// Parameters is the JSON Schema of the arguments, an object's.
	Parameters string
}

// ToolCall is a model's request for a tool. Everything in it is the model's,
// and may be wrong.
type ToolCall struct {
	ID, Name string
	// Arguments are JSON, if the model kept to it.
	Arguments string
}

// Generated is what a model gave beside the text that it emitted.
type Generated struct {
	Usage Usage
	// Model is the name of the model that answered.
	Model string
	// Calls are the tools that it wants called before it goes on. There are
	// none unless the prompt offered tools.
	Calls []ToolCall
}

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
	Generate(ctx context.Context, prompt Prompt, emit func(text string) error) (Generated, error)
	// Count returns the tokens of a text, as the model counts them or nearly so.
	Count(text string) int
	// Traits say what the model can do. They do not change.
	Traits() Traits
	// Check reports whether the model can be reached just now.
	Check(ctx context.Context) error
	// Name is the model's name, for receipts and readiness.
	Name() string
}

// Models is the port to who knows which model answers for a chatbot.
type Models interface {
	// For returns the model that a chatbot's owner has chosen, with the second
	// one behind it if there is one. It is the default where nothing was
	// chosen. A provider that was taken away is an Upstream fault.
	For(ctx context.Context, bot *chatbot.Chatbot) (Model, error)
	// Default is the server's own model.
	Default() Model
}

// Always is the Models of which every chatbot has the same.
func Always(model Model) Models { return always{model} }

type always struct{ model Model }

func (a always) For(context.Context, *chatbot.Chatbot) (Model, error) { return a.model, nil }
func (a always) Default() Model                                       { return a.model }
