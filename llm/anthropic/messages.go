package anthropic

import (
	"encoding/json"
	"slices"
	"strings"

	"parley/core/answer/prompt"
)

// leftOut stands before an answer at the start of the history whose question was
// left out.
const leftOut = "(The beginning of the conversation is left out.)"

type message struct {
	Role    prompt.Role `json:"role"`
	Content []block     `json:"content"`
}

// block is a part of a message: a text, a call of a tool, or its result.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"`
}

// conversation converts the prompt to the API's format: separate instructions, the
// user first, alternating roles, and the results of tools at the beginning of the
// user's next message.
func conversation(asked []prompt.Message) (system string, messages []message) {
	var instructions []string
	for _, part := range asked {
		if part.Role == prompt.SystemRole {
			instructions = append(instructions, part.Text)
			continue
		}
		role, blocks := blocksOf(part)
		if len(blocks) == 0 {
			continue
		}
		if len(messages) == 0 && role == prompt.AssistantRole {
			messages = append(messages, message{prompt.UserRole, []block{textBlock(leftOut)}})
		}
		if last := len(messages) - 1; last >= 0 && messages[last].Role == role {
			messages[last].Content = joined(messages[last].Content, blocks)
			continue
		}
		messages = append(messages, message{role, blocks})
	}
	return strings.Join(instructions, "\n\n"), messages
}

func blocksOf(part prompt.Message) (prompt.Role, []block) {
	if part.Role == prompt.ToolRole {
		return prompt.UserRole, []block{{Type: "tool_result", ToolUseID: callID(part.CallID), Content: part.Text}}
	}
	var blocks []block
	if strings.TrimSpace(part.Text) != "" { // The API refuses a text of white space.
		blocks = append(blocks, textBlock(part.Text))
	}
	for _, call := range part.Calls {
		blocks = append(blocks, block{Type: "tool_use", ID: callID(call.ID), Name: call.Name, Input: input(call.Arguments)})
	}
	return part.Role, blocks
}

// joined merges two messages into one. Results of tools come before texts.
func joined(blocks, more []block) []block {
	at := len(blocks)
	if more[0].Type == "tool_result" {
		if text := slices.IndexFunc(blocks, func(b block) bool { return b.Type == "text" }); text >= 0 {
			at = text
		}
	}
	return slices.Insert(blocks, at, more...)
}

func textBlock(text string) block { return block{Type: "text", Text: text} }

// input returns the arguments of a call, or an empty object if the model did not
// send an object.
func input(arguments string) json.RawMessage {
	raw := json.RawMessage(strings.TrimSpace(arguments))
	if len(raw) == 0 || raw[0] != '{' || !json.Valid(raw) {
		return json.RawMessage("{}")
	}
	return raw
}

// callID returns the id of a call, perhaps from another model, in the characters
// that the API accepts.
func callID(id string) string {
	if id == "" {
		return "call"
	}
	return strings.Map(func(r rune) rune {
		if r == '-' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
			return r
		}
		return '_'
	}, id)
}
