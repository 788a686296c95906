// Package openai owns the shapes in which OpenAI's clients ask and are answered: the
// bodies and events of chat completions and of responses, models, and the error object.
//
// It decodes and encodes, and does nothing else: package api admits the request, and
// package turn has the answer made, as for every other question.
package openai

import (
	"strings"
	"time"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/fault"
)

// ModelID is the model that every chatbot is, for its own tokens.
const ModelID = "chatbot"

// Form is one of the two interfaces for questions.
type Form int

// The forms.
const (
	Completions Form = iota
	Responses
)

// Question is what a request asks.
type Question struct {
	Form  Form
	Model string
	Text  string
	turn.CallerContext
	// Conversation is the identifier of the conversation, as it is written in JSON. It is
	// empty if the request names none.
	Conversation []byte
	// Previous is the response that the question follows, or empty.
	Previous string
	// User is the caller's name for its end user, or nil.
	User *string
	// Metadata is the caller's, and goes back to it.
	Metadata              map[string]string
	Stream, UsageInStream bool
}

// noSuchModel is the code that OpenAI's clients know.
const noSuchModel fault.Code = "model_not_found"

var errNoModel = (&fault.Error{
	Kind: fault.NotFound, Field: "model",
	Message: "There is no such model. Send chatbot, or the name of the chatbot that the token is for.",
}).Named(noSuchModel)

// CheckModel refuses the name of a model that is not the chatbot's. No name is as good as
// the right one.
func CheckModel(model, chatbot string) error {
	if model == "" || model == ModelID || strings.EqualFold(strings.TrimSpace(model), strings.TrimSpace(chatbot)) {
		return nil
	}
	return errNoModel
}

// Reply is what is known of an answer before it is made.
type Reply struct {
	// ID is the answer's, without the prefix that its form gives it.
	ID string
	// Conversation is the identifier of the conversation, empty for an answer that is not
	// stored.
	Conversation string
	Created      time.Time
}

// metadata is the caller's, with what is said of the answer.
func (r Reply) metadata(q *Question, outcome chat.Outcome) map[string]string {
	all := make(map[string]string, len(q.Metadata)+2)
	for name, value := range q.Metadata {
		all[name] = value
	}
	delete(all, "outcome") // of an answer before
	if r.Conversation != "" {
		all["conversation_id"] = r.Conversation
	}
	if outcome != "" {
		all["outcome"] = string(outcome)
	}
	return all
}

// Ended is an answer that has ended.
type Ended struct {
	Text      string
	Citations []answer.Citation
	Finish    answer.FinishReason
	Status    chat.Status
	Outcome   chat.Outcome
	Usage     answer.Usage
}

// EndedOf is an answer as it is told.
func EndedOf(a turn.Answer) Ended {
	return Ended{Text: a.Text, Citations: a.Citations, Finish: a.Finish, Status: a.Status, Outcome: a.Outcome, Usage: a.Usage()}
}

// Model is one that can be asked. Name is the chatbot's.
type Model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
	Name    string `json:"name"`
}

// Models are those that a token can ask.
type Models struct {
	Object string  `json:"object"`
	Data   []Model `json:"data"`
}

// ModelOf is the model that a chatbot is.
func ModelOf(name string, created time.Time) Model {
	return Model{ID: ModelID, Object: "model", Created: created.Unix(), OwnedBy: "parley", Name: name}
}

// ModelsOf is the list of the one model that a chatbot is.
func ModelsOf(model Model) Models { return Models{"list", []Model{model}} }
