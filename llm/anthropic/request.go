package anthropic

import (
	"encoding/json"
	"fmt"

	"parley/core/answer/prompt"
)

// thinkingTokens are added to the limit of an answer for a model that thinks
// unasked: its thoughts count toward the limit, and would leave a short answer
// nothing.
const thinkingTokens = 2048

// request is the body of POST /v1/messages (API reference, "Create a
// message").
type request struct {
	Model        string        `json:"model"`
	MaxTokens    int           `json:"max_tokens"`
	System       string        `json:"system,omitempty"`
	Messages     []message     `json:"messages"`
	Tools        []tool        `json:"tools,omitempty"`
	ToolChoice   *toolChoice   `json:"tool_choice,omitempty"`
	Temperature  *float64      `json:"temperature,omitempty"`
	OutputConfig *outputConfig `json:"output_config,omitempty"`
	Stream       bool          `json:"stream,omitempty"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type toolChoice struct {
	Type string `json:"type"`
}

type outputConfig struct {
	Effort string `json:"effort"`
}

func (m *Model) request(asked prompt.Prompt) ([]byte, error) {
	body := request{
		Model:     m.config.Model,
		MaxTokens: orDefault(asked.MaxTokens, defaultMaxTokens),
		Stream:    !asked.Whole,
	}
	body.System, body.Messages = conversation(asked.Messages)
	if err := m.offer(&body, asked); err != nil {
		return nil, err
	}
	if takesTemperature(m.config.Model) {
		body.Temperature = temperature(asked.Temperature)
	}
	if thinksUnasked(m.config.Model) {
		// Answering from passages takes little thought, and the reader is waiting.
		body.OutputConfig = &outputConfig{Effort: "low"}
		body.MaxTokens += thinkingTokens
	}
	return json.Marshal(body)
}

// offered returns the tools of a prompt that the model may call.
func (m *Model) offered(asked prompt.Prompt) []prompt.Tool {
	if !m.config.Tools {
		return nil
	}
	return asked.Tools
}

// offer names the tools that the model may call. If a prompt holds calls but
// offers no tools, offer names the tools of those calls and forbids them: the API
// requires the tools of every call in the prompt.
func (m *Model) offer(r *request, asked prompt.Prompt) error {
	for _, offered := range m.offered(asked) {
		schema := json.RawMessage(offered.Parameters)
		if !json.Valid(schema) {
			return fmt.Errorf("anthropic: the parameters of the tool %q are not JSON", offered.Name)
		}
		r.Tools = append(r.Tools, tool{offered.Name, offered.Description, schema})
	}
	if len(r.Tools) > 0 {
		return nil
	}
	known := map[string]bool{}
	for _, part := range asked.Messages {
		for _, call := range part.Calls {
			if !known[call.Name] {
				known[call.Name] = true
				r.Tools = append(r.Tools, tool{Name: call.Name, InputSchema: json.RawMessage(`{"type":"object"}`)})
			}
		}
	}
	if len(r.Tools) > 0 {
		r.ToolChoice = &toolChoice{Type: "none"}
	}
	return nil
}

// temperature returns the one that is asked for within the API's range. Elsewhere
// temperatures go up to 2.
func temperature(asked *float64) *float64 {
	if asked == nil {
		return nil
	}
	within := max(0, min(*asked, 1))
	return &within
}
