package openai

import (
	"bytes"
	"strings"
	"testing"

	"parley/core/answer"
	"parley/llm/llmtest"
)

func whole(t *testing.T, server *llmtest.Server) (string, answer.Usage, error) {
	t.Helper()
	prompt := llmtest.Prompt()
	prompt.Whole = true
	text, generated, err := ask(t, server, prompt)
	return text, generated.Usage, err
}

func TestWholeAnswer(t *testing.T) {
	t.Run("is requested without a stream and emitted with the server's usage", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Seven ", "o'clock."}})
		text, usage, err := whole(t, server)
		if err != nil || text != "Seven o'clock." || usage.Estimated || usage.PromptTokens != llmtest.DefaultUsage.PromptTokens {
			t.Fatalf("got %q, %+v, %v", text, usage, err)
		}
		if body := server.Request(0).Body(); bytes.Contains(body, []byte(`"stream":true`)) {
			t.Fatalf("a stream was asked for: %s", body)
		}
	})
	t.Run("without usage is counted here", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Seven."}, OmitUsage: true})
		if _, usage, err := whole(t, server); err != nil || !usage.Estimated || usage.CompletionTokens < 1 {
			t.Fatalf("got %+v, %v", usage, err)
		}
	})
	t.Run("may be surrounded by white space", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{Raw: []string{` {"choices":[{"message":{"content":"Seven."}}]}` + strings.Repeat(" ", 5000)}})
		if text, _, err := whole(t, server); err != nil || text != "Seven." {
			t.Fatalf("got %q, %v", text, err)
		}
	})
}
