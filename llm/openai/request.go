package openai

import (
	"encoding/json"

	"parley/core/answer/prompt"
)

// request is the body of a chat completion: the fields that every compatible
// server knows (OpenAI API reference, "Create chat completion").
type request struct {
	Model               string           `json:"model"`
	Messages            []requestMessage `json:"messages"`
	Tools               []requestTool    `json:"tools,omitempty"`
	Stream              bool             `json:"stream"`
	StreamOptions       *streamOptions   `json:"stream_options,omitempty"`
	MaxTokens           int              `json:"max_tokens,omitempty"`
	MaxCompletionTokens int              `json:"max_completion_tokens,omitempty"`
	Temperature         *float64         `json:"temperature,omitempty"`
}

type requestMessage struct {
	Role prompt.Role `json:"role"`
	// Content is null in a message that only calls tools.
	Content    *string       `json:"content"`
	ToolCalls  []requestCall `json:"tool_calls,omitempty"`
	ToolCallID string        `json:"tool_call_id,omitempty"`
}

type requestTool struct {
	Type     string          `json:"type"`
	Function requestFunction `json:"function"`
}

type requestFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

type requestCall struct {
	ID       string            `json:"id"`
	Type     string            `json:"type"`
	Function requestInvocation `json:"function"`
}

type requestInvocation struct {
	Name string `json:"name"`
	// Arguments are JSON within a string.
	Arguments string `json:"arguments"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// offers reports whether the model may call the tools of a prompt.
func (m *Model) offers(asked *prompt.Prompt) bool {
	return m.config.Tools && len(asked.Tools) > 0
}

func (m *Model) request(asked *prompt.Prompt) ([]byte, error) {
	body := request{
		Model:       m.config.Model,
		Messages:    make([]requestMessage, 0, len(asked.Messages)),
		Temperature: asked.Temperature,
	}
	if m.ownTemperature.Load() {
		body.Temperature = nil
	}
	if !asked.Whole {
		body.Stream, body.StreamOptions = true, &streamOptions{IncludeUsage: true}
	}
	if m.config.isOpenAI {
		body.MaxCompletionTokens = asked.MaxTokens
	} else {
		body.MaxTokens = asked.MaxTokens
	}
	for i := range asked.Messages {
		body.Messages = append(body.Messages, messageOf(&asked.Messages[i]))
	}
	if m.offers(asked) {
		body.Tools = toolsOf(asked.Tools)
	}
	return json.Marshal(body)
}

func messageOf(part *prompt.Message) requestMessage {
	message := requestMessage{Role: part.Role, Content: &part.Text, ToolCallID: part.CallID}
	if len(part.Calls) == 0 {
		return message
	}
	if part.Text == "" {
		message.Content = nil
	}
	for _, call := range part.Calls {
		message.ToolCalls = append(message.ToolCalls, requestCall{
			ID: call.ID, Type: "function",
			Function: requestInvocation{Name: call.Name, Arguments: argumentsOf(call)},
		})
	}
	return message
}

// argumentsOf returns the arguments of a call to send back. Some servers parse
// them, and would refuse the whole request for a model's mistake.
func argumentsOf(call prompt.Call) string {
	if !json.Valid([]byte(call.Arguments)) {
		return "{}"
	}
	return call.Arguments
}

func toolsOf(offered []prompt.Tool) []requestTool {
	tools := make([]requestTool, len(offered))
	for i, tool := range offered {
		tools[i] = requestTool{Type: "function", Function: requestFunction{
			Name: tool.Name, Description: tool.Description, Parameters: json.RawMessage(tool.Parameters),
		}}
	}
	return tools
}
