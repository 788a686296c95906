package openai

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley/core/fault"
)

// common is what both forms of a request have. Fields that are not here are ignored: the
// owner of a chatbot has chosen its model, and how that answers.
type common struct {
	Model    string                    `json:"model"`
	Stream   bool                      `json:"stream"`
	User     *string                   `json:"user"`
	Metadata map[string]jsontext.Value `json:"metadata"`
	// ToolChoice must leave the chatbot free to answer.
	ToolChoice jsontext.Value `json:"tool_choice"`
}

// kind is an object of which only the type matters.
type kind struct {
	Type string `json:"type"`
}

// CompletionRequest is the body of POST /chat/completions.
type CompletionRequest struct {
	common
	Messages      []message `json:"messages"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	N              *int  `json:"n"`
	ResponseFormat *kind `json:"response_format"`
}

// ResponseRequest is the body of POST /responses.
type ResponseRequest struct {
	common
	// Input is a string or a list of items.
	Input        jsontext.Value `json:"input"`
	Instructions string         `json:"instructions"`
	Previous     string         `json:"previous_response_id"`
	// Conversation is an identifier, or an object with an id.
	Conversation jsontext.Value `json:"conversation"`
	Background   bool           `json:"background"`
	Text         struct {
		Format *kind `json:"format"`
	} `json:"text"`
}

// Question reads what a chat completion asks.
func (r *CompletionRequest) Question() (*Question, error) {
	q, err := r.question(Completions)
	if err != nil {
		return nil, err
	}
	if r.N != nil && *r.N != 1 {
		return nil, fault.InField("n", "n must be 1: a chatbot gives one answer to a question.")
	}
	if err := onlyText("response_format", r.ResponseFormat); err != nil {
		return nil, err
	}
	said := dialog{field: "messages"}
	for _, m := range r.Messages {
		if err := said.add(m); err != nil {
			return nil, err
		}
	}
	q.UsageInStream = r.StreamOptions.IncludeUsage
	q.Text, q.CallerContext, err = said.end()
	return q, err
}

// Question reads what a response is asked for.
func (r *ResponseRequest) Question() (*Question, error) {
	q, err := r.question(Responses)
	if err != nil {
		return nil, err
	}
	if r.Background {
		return nil, fault.InField("background", "background must be false: a chatbot answers while the request is open.")
	}
	if err := onlyText("text.format", r.Text.Format); err != nil {
		return nil, err
	}
	if err := r.names(q); err != nil {
		return nil, err
	}
	said := dialog{field: "input"}
	said.addContext(r.Instructions)
	items, err := r.items()
	if err != nil {
		return nil, err
	}
	for _, m := range items {
		if err := said.add(m); err != nil {
			return nil, err
		}
	}
	q.Text, q.CallerContext, err = said.end()
	return q, err
}

func (c *common) question(form Form) (*Question, error) {
	q := &Question{Form: form, Model: c.Model, Stream: c.Stream, User: c.User, Metadata: map[string]string{}}
	for name, value := range c.Metadata {
		if name == "conversation_id" && value.Kind() != 'n' {
			q.Conversation = value
		}
		if value.Kind() == '"' {
			text, _ := jsontext.AppendUnquote(nil, value) // it was decoded
			q.Metadata[name] = string(text)
		}
	}
	switch string(c.ToolChoice) {
	case "", "null", `"none"`, `"auto"`:
		return q, nil
	}
	return nil, fault.InField("tool_choice", "tool_choice must be none or auto: a chatbot calls none of the caller's tools.")
}

func onlyText(field string, format *kind) error {
	if format == nil || format.Type == "" || format.Type == "text" {
		return nil
	}
	return fault.InField(field, "%s must be of the type text: a chatbot answers in Markdown.", field)
}

// names reads which conversation the question continues.
func (r *ResponseRequest) names(q *Question) error {
	q.Previous = r.Previous
	switch r.Conversation.Kind() {
	case '"', '0':
		q.Conversation = r.Conversation
	case '{':
		var named struct {
			ID jsontext.Value `json:"id"`
		}
		if err := json.Unmarshal(r.Conversation, &named); err != nil || named.ID.Kind() != '"' && named.ID.Kind() != '0' {
			return errConversation
		}
		q.Conversation = named.ID
	case 0, 'n':
	default:
		return errConversation
	}
	if q.Previous != "" && len(r.Conversation) > 0 && r.Conversation.Kind() != 'n' {
		return fault.InField("previous_response_id", "Send previous_response_id or conversation, not both.")
	}
	return nil
}

var errConversation = fault.InField("conversation", "conversation must be the id of a conversation, or an object with an id.")

// items are the messages of the input.
func (r *ResponseRequest) items() (items []message, err error) {
	switch r.Input.Kind() {
	case '"':
		return []message{{Role: "user", Content: r.Input}}, nil
	case '[':
		if err := json.Unmarshal(r.Input, &items); err != nil {
			return nil, fault.InField("input", "Each item of input must be an object, such as a message with a role and content.")
		}
		return items, nil
	}
	return nil, fault.InField("input", "input is required. Send a question as text, or a list of messages.")
}
