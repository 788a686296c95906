package openai_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"parley/core/chat"
	"parley/core/fault"
	"parley/llm/llmtest"
	"parley/llm/openai"
)

func whole(ctx context.Context, t *testing.T, server *llmtest.Server) (string, chat.Usage, error) {
	t.Helper()
	model, err := openai.New(openai.Config{BaseURL: server.BaseURL(), Model: "double", Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	prompt := llmtest.Prompt()
	prompt.Whole = true
	var text strings.Builder
	generated, err := model.Generate(ctx, prompt, func(piece string) error {
		text.WriteString(piece)
		return nil
	})
	return text.String(), generated.Usage, err
}

func TestWholeAnswer(t *testing.T) {
	t.Run("is asked for without a stream and emitted with the server's usage", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Seven ", "o'clock."}})
		text, usage, err := whole(t.Context(), t, server)
		if err != nil || text != "Seven o'clock." || usage.Estimated || usage.PromptTokens != llmtest.DefaultUsage.PromptTokens {
			t.Fatalf("got %q, %+v, %v", text, usage, err)
		}
		if body := server.Request(0).Body(); bytes.Contains(body, []byte(`"stream":true`)) {
			t.Fatalf("a stream was asked for: %s", body)
		}
	})

	t.Run("without usage is counted here", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Seven."}, OmitUsage: true})
		if _, usage, err := whole(t.Context(), t, server); err != nil || !usage.Estimated || usage.CompletionTokens < 1 {
			t.Fatalf("got %+v, %v", usage, err)
		}
	})

	t.Run("that is empty, cut off or refused is a failure of the model", func(t *testing.T) {
		for name, reply := range map[string]llmtest.Reply{
			"empty":   {},
			"cut":     {Pieces: []string{"Seven o'clock."}, CutAfter: 20},
			"refused": {Status: 500},
			// 8 MiB of brackets once took the stack of the whole process.
			"too deep": {Raw: []string{`{"choices":` + strings.Repeat("[", 8<<20-20)}},
		} {
			if _, _, err := whole(t.Context(), t, llmtest.NewServer(t, reply)); !fault.Is(err, fault.Upstream) {
				t.Errorf("%s: got %v", name, err)
			}
		}
	})

	t.Run("ends the request when the caller's context ends", func(t *testing.T) {
		gate := llmtest.NewGate()
		server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Seven."}, Hold: gate, HoldAt: llmtest.BeforeHeaders})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-gate.Reached()
			cancel()
		}()
		_, _, err := whole(ctx, t, server)
		if err != context.Canceled {
			t.Fatalf("got %v", err)
		}
		<-server.Request(0).Cancelled()
	})
}
