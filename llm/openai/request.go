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

func (m *Model) request(asked *prompt.Prompt, left without) ([]byte, error) {
	body := request{
		Model:       m.config.Model,
		Messages:    make([]requestMessage, 0, len(asked.Messages)),
		Temperature: asked.Temperature,
	}
	if left&withoutTemperature != 0 {
		body.Temperature = nil
	}
	if !asked.Whole {
		body.Stream = true
	}
	if !asked.Whole && left&withoutStreamOptions == 0 {
		body.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	if m.config.isOpenAI != (left&withoutMaxTokens != 0) {
		body.MaxCompletionTokens = asked.MaxTokens
	} else {
		body.MaxTokens = asked.MaxTokens
	}
	for i := range asked.Messages {
		message := messageOf(&asked.Messages[i])
		if message.Role == prompt.SystemRole && left&withoutSystem != 0 {
			message.Role = prompt.UserRole
		}
		body.Messages = joined(body.Messages, message)
	}
	if m.offers(asked) {
		body.Tools = toolsOf(asked.Tools)
	}
	return json.Marshal(body)
}

// joined appends a message, or joins it to the last if the same role speaks again:
// after an answer that failed, for example. Many templates want user and assistant to
// alternate, and would refuse the conversation from then on.
func joined(messages []requestMessage, message requestMessage) []requestMessage {
	if len(messages) == 0 {
		return append(messages, message)
	}
	last := &messages[len(messages)-1]
	if last.Role != message.Role || message.Role != prompt.UserRole && message.Role != prompt.AssistantRole || len(last.ToolCalls) > 0 {
		return append(messages, message)
	}
	if message.Content != nil {
		text := *last.Content + "\n\n" + *message.Content
		last.Content = &text
	}
	last.ToolCalls = message.ToolCalls
	return messages
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
