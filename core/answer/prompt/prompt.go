// Package prompt makes what a model is given: instructions, history, and the
// question with its passages, within the model's context window. It cleans and
// delimits texts that others wrote, so that none of them passes for another.
package prompt

import (
	"parley/core/retrieval"
	"parley/text/language"
)

// Prompt is what a model answers. Messages hold the whole of it as text for a
// language model; Question, Passages and NoAnswer hold its parts for an
// answerer that is not one.
type Prompt struct {
	// Purpose is what the model is asked for. Empty is an answer.
	Purpose Purpose
	// Messages are the composed prompt in order: instructions, history and the
	// question with its passages, and then the calls of tools with what came
	// of them.
	Messages []Message
	// Tools are what a language model may call instead of answering. There are
	// none for a model whose traits lack them.
	Tools []Tool
	// Question is the user's message as it was sent.
	Question string
	// Language is the question's language: see [LanguageOf].
	Language language.Code
	// Passages are the retrieved passages, best first. There may be none. A
	// citation counts them from 1.
	Passages []retrieval.Result
	// Whole says that nobody reads the answer before its end. A model may then
	// generate it without a stream and emit it as one piece.
	Whole bool
	// Once says that nobody asks with the prompt again once the model has begun its
	// text. The model may call [Prompt.Shrink] then.
	Once bool
	// NoAnswer is the text for a question that the knowledge does not answer: see
	// [NoAnswer].
	NoAnswer string
	// MaxTokens bounds the answer. Zero leaves it to the model.
	MaxTokens int
	// Temperature is left to the model when it is nil.
	Temperature *float64
}

// Purpose says what a model is asked for, for whoever counts.
type Purpose string

// The purposes besides an answer.
const (
	Rewrite Purpose = "rewrite"
	Rerank  Purpose = "rerank"
)

// Message is one message of a composed prompt.
type Message struct {
	Role Role
	Text string
	// Calls are the tools that the assistant called in this message.
	Calls []Call
	// CallID is the id of the call that a tool's message answers.
	CallID string
}

// Role says who speaks in a prompt.
type Role string

// The roles in a prompt.
const (
	SystemRole    Role = "system"
	UserRole      Role = "user"
	AssistantRole Role = "assistant"
	ToolRole      Role = "tool"
)

// Tool is something that a model may ask for.
type Tool struct {
	Name, Description string
	// Parameters is the JSON Schema of the arguments, an object's.
	Parameters string
}

// Call is a model's request for a tool. Everything in it is the model's,
// and may be wrong.
type Call struct {
	ID, Name string
	// Arguments are JSON, if the model kept to it.
	Arguments string
}
