package anthropic

import (
	"testing"

	"parley/core/answer"
	"parley/llm/llmtest"
	"parley/llm/upstream/upstreamtest"
)

func TestUsage(t *testing.T) {
	t.Run("the usage is the server's, including its prompt cache", func(t *testing.T) {
		server := llmtest.NewAnthropic(t, llmtest.Reply{
			Pieces: []string{"Yes."}, Usage: &llmtest.Usage{PromptTokens: 700, CompletionTokens: 3},
		})
		for _, whole := range []bool{false, true} {
			prompt := llmtest.Prompt()
			prompt.Whole = whole
			_, generated, err := upstreamtest.Generate(t.Context(), open(t, server, nil), prompt)
			if want := (answer.Usage{PromptTokens: 700, CompletionTokens: 3}); err != nil || generated.Usage != want {
				t.Errorf("got %+v and %v, want %+v", generated.Usage, err, want)
			}
		}
	})
	t.Run("a server may report the prompt's tokens at the end", func(t *testing.T) {
		server := llmtest.NewAnthropic(t, llmtest.Reply{Pieces: []string{"Yes."}, OmitUsage: true, OmitFinish: true, Raw: []string{
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":12,"output_tokens":34}}`,
		}})
		_, generated, err := generate(t.Context(), open(t, server, nil))
		if want := (answer.Usage{PromptTokens: 12, CompletionTokens: 34}); err != nil || generated.Usage != want {
			t.Errorf("got %+v and %v, want %+v", generated.Usage, err, want)
		}
	})
	for name, reply := range map[string]llmtest.Reply{
		"usage is estimated if the server reports none": {OmitUsage: true},
		"a negative usage is ignored":                   {Usage: &llmtest.Usage{PromptTokens: -5, CompletionTokens: -5}},
		"an impossibly large usage is ignored":          {Usage: &llmtest.Usage{PromptTokens: 1 << 40, CompletionTokens: 1 << 40}},
	} {
		t.Run(name, func(t *testing.T) {
			reply.Pieces = []string{"hello", " world"}
			_, generated, err := generate(t.Context(), open(t, llmtest.NewAnthropic(t, reply), nil))
			got := generated.Usage
			if err != nil || !got.Estimated || got.CompletionTokens != 2 || got.PromptTokens < 15 || got.PromptTokens > 40 {
				t.Errorf("got %+v and %v", got, err)
			}
		})
	}
	t.Run("an answer that breaks off has the server's count for the prompt and an estimate for the text so far", func(t *testing.T) {
		server := llmtest.NewAnthropic(t, llmtest.Reply{Pieces: []string{"hello", " world"}, OmitFinish: true, OmitDone: true})
		_, generated, err := generate(t.Context(), open(t, server, nil))
		want := answer.Usage{PromptTokens: llmtest.DefaultUsage.PromptTokens, CompletionTokens: 2, Estimated: true}
		if err == nil || generated.Usage != want {
			t.Errorf("got %+v and %v, want %+v", generated.Usage, err, want)
		}
	})
	t.Run("calls are counted too", func(t *testing.T) {
		server := llmtest.NewAnthropic(t, llmtest.Reply{OmitUsage: true, ToolCalls: []llmtest.ToolCall{{ID: "a", Name: "hello", Arguments: `{"a":"hello world"}`}}})
		_, generated, err := upstreamtest.Generate(t.Context(), open(t, server, nil), withTools())
		if err != nil || !generated.Usage.Estimated || generated.Usage.CompletionTokens < 4 {
			t.Errorf("got %+v and %v", generated.Usage, err)
		}
	})
}
