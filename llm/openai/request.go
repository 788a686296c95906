package openai

import (
	"encoding/json"

	"parley/core/chat"
)

// request is the body of a chat completion: the fields that every compatible
// server knows. It is built here because the SDK's own type is encoded by
// reflection several times over.
type request struct {
	Model               string           `json:"model"`
	Messages            []requestMessage `json:"messages"`
	Stream              bool             `json:"stream"`
	StreamOptions       *streamOptions   `json:"stream_options,omitempty"`
	MaxTokens           int              `json:"max_tokens,omitempty"`
	MaxCompletionTokens int              `json:"max_completion_tokens,omitempty"`
	Temperature         *float64         `json:"temperature,omitempty"`
}

type requestMessage struct {
	Role    chat.PromptRole `json:"role"`
	Content string          `json:"content"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

func (m *Model) request(prompt chat.Prompt) ([]byte, error) {
	body := request{
		Model:       m.config.Model,
		Messages:    make([]requestMessage, 0, len(prompt.Messages)),
		Temperature: m.config.Temperature,
	}
	if !prompt.Whole {
		body.Stream, body.StreamOptions = true, &streamOptions{IncludeUsage: true}
	}
	if m.config.isOpenAI {
		body.MaxCompletionTokens = m.config.MaxTokens
	} else {
		body.MaxTokens = m.config.MaxTokens
	}
	for _, part := range prompt.Messages {
		body.Messages = append(body.Messages, requestMessage{Role: part.Role, Content: part.Text})
	}
	return json.Marshal(body)
}
