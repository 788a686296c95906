package harness

import (
	"strings"
	"testing"

	"parley/app"
	"parley/llm/llmtest"
)

// RouterManual is what the recorded answers are from.
const RouterManual = "# Router\n\nTo reset the router, hold its button for ten seconds. The light blinks.\n"

// Speaks are the formats of models, each with its recorded answer.
var Speaks = []struct {
	Name, Path, Model string
	// Positions is how many there are. From complete on the answer is, and from
	// counted on the model has said what it took.
	Positions, Complete, Counted int
	Cut                          func(after int) llmtest.Reply
	Open                         func(t *testing.T) (upstream *llmtest.Server, address string)
}{
	{
		Name: "openai", Path: "/chat/completions", Model: "double",
		Positions: llmtest.CutPositions(), Complete: llmtest.RecordedComplete(), Counted: behindLine(llmtest.Recording().Body, `"usage"`),
		Cut: llmtest.CutRecording,
		Open: func(t *testing.T) (*llmtest.Server, string) {
			s := llmtest.NewServer(t, llmtest.Recording())
			return s, s.BaseURL()
		},
	},
	{
		Name: "anthropic", Path: "/v1/messages", Model: "claude-haiku-4-5",
		Positions: llmtest.AnthropicCutPositions(), Complete: llmtest.AnthropicRecordedComplete(), Counted: llmtest.AnthropicRecordedComplete(),
		Cut: llmtest.CutAnthropicRecording,
		Open: func(t *testing.T) (*llmtest.Server, string) {
			s := llmtest.NewAnthropic(t, llmtest.AnthropicRecording())
			return s.Server, s.BaseURL()
		},
	},
}

// behindLine is the position after the line with a part.
func behindLine(text, part string) int {
	at := strings.Index(text, part)
	return at + strings.Index(text[at:], "\n") + len("\n")
}

// Spoken lets the server be answered in a format.
func Spoken(format, address, model string) func(*app.Config) {
	return func(c *app.Config) {
		c.LLMProvider, c.LLMBaseURL, c.LLMAPIKey, c.LLMModel = format, address, "key", model
	}
}

// WithLoopback lets workspaces use models on this machine, as an operator
// does with a network of theirs.
func WithLoopback(c *app.Config) { c.ProviderAllow = []string{"127.0.0.1:*"} }
