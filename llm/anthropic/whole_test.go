package anthropic

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"parley/core/answer"
	"parley/llm/llmtest"
	"parley/llm/upstream/upstreamtest"
)

func whole(ctx context.Context, t *testing.T, server *llmtest.Anthropic) ([]string, answer.Generated, error) {
	t.Helper()
	prompt := llmtest.Prompt()
	prompt.Whole = true
	return upstreamtest.Generate(ctx, open(t, server, func(c *Config) { c.Retries = -1 }), prompt)
}

func TestWholeAnswer(t *testing.T) {
	t.Run("is requested without a stream and emitted as one piece, with the server's usage", func(t *testing.T) {
		server := llmtest.NewAnthropic(t, llmtest.Reply{Reasoning: []string{"hm"}, Pieces: []string{"Seven ", "o'clock."}})
		got, generated, err := whole(t.Context(), t, server)
		want := answer.Usage{PromptTokens: llmtest.DefaultUsage.PromptTokens, CompletionTokens: llmtest.DefaultUsage.CompletionTokens}
		if err != nil || strings.Join(got, "|") != "Seven o'clock." || generated.Usage != want {
			t.Fatalf("got %q, %+v, %v", got, generated, err)
		}
		if body := server.Request(0).Body(); bytes.Contains(body, []byte(`"stream":true`)) {
			t.Fatalf("a stream was asked for: %s", body)
		}
	})

	t.Run("without usage is counted here", func(t *testing.T) {
		server := llmtest.NewAnthropic(t, llmtest.Reply{Pieces: []string{"Seven."}, OmitUsage: true})
		_, generated, err := whole(t.Context(), t, server)
		if got := generated.Usage; err != nil || !got.Estimated || got.CompletionTokens < 1 || got.PromptTokens < 1 {
			t.Fatalf("got %+v, %v", got, err)
		}
	})

	t.Run("without text is a failure of the model", func(t *testing.T) {
		for name, c := range map[string]struct {
			reply   llmtest.Reply
			message string
		}{
			"declined":   {llmtest.Reply{Finish: "refusal"}, declined},
			"overloaded": {llmtest.Reply{Raw: []string{`{"type":"error","error":{"type":"overloaded_error"}}`}}, tooBusy},
		} {
			t.Run(name, func(t *testing.T) {
				_, _, err := whole(t.Context(), t, llmtest.NewAnthropic(t, c.reply))
				upstreamtest.WantFault(t, err, c.message)
			})
		}
	})
}
