package anthropic

import (
	"strings"
	"testing"

	"parley/core/answer"
	"parley/llm/llmtest"
	"parley/llm/upstream/upstreamtest"
)

func TestEveryCut(t *testing.T) {
	server := llmtest.NewAnthropic(t)
	model := open(t, server, func(c *Config) { c.Retries = -1 })
	for after := range llmtest.AnthropicCutPositions() {
		server.Always(llmtest.CutAnthropicRecording(after))
		pieces, generated, err := generate(t.Context(), model)
		text := strings.Join(pieces, "")
		if !strings.HasPrefix(llmtest.AnthropicText, text) {
			t.Fatalf("cut after %d bytes: %q is not how the answer begins", after, text)
		}
		if complete := after >= llmtest.AnthropicRecordedComplete(); complete != (err == nil) {
			t.Fatalf("cut after %d bytes: err = %v, though complete is %v", after, err, complete)
		}
		if err == nil {
			checkComplete(t, after, text, generated.Usage)
			continue
		}
		message := notAnswered
		if text != "" {
			message = brokeOff
		}
		upstreamtest.WantFault(t, err, message)
		if got := generated.Usage; !got.Estimated || got.PromptTokens < 1 || got.CompletionTokens < model.Count(text) {
			t.Fatalf("cut after %d bytes: usage = %+v of %q", after, generated.Usage, text)
		}
	}
}

func checkComplete(t *testing.T, after int, text string, usage answer.Usage) {
	t.Helper()
	want := answer.Usage{PromptTokens: llmtest.RecordedUsage.PromptTokens, CompletionTokens: llmtest.RecordedUsage.CompletionTokens}
	if text != llmtest.AnthropicText || usage != want {
		t.Fatalf("cut after %d bytes: got %q with %+v", after, text, usage)
	}
}
