package llmtest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/core/answer"
	"parley/core/answer/prompt"
	"parley/internal/intx"
)

func post(ctx context.Context, t *testing.T, server *Server, body string) (*http.Response, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.BaseURL()+"/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return http.DefaultClient.Do(request)
}

func read(t *testing.T, server *Server, body string) (string, error) {
	t.Helper()
	response, err := post(t.Context(), t, server, body)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return string(text), err
}

const streamed = `{"stream":true,"stream_options":{"include_usage":true}}`

func TestServer(t *testing.T) {
	t.Run("a stream has a role, the pieces, a finish_reason, usage and [DONE]", func(t *testing.T) {
		text, err := read(t, NewServer(t, Reply{Pieces: []string{"a\"", "b"}}), streamed)
		if err != nil {
			t.Fatal(err)
		}
		rest := text
		for _, part := range []string{
			`"role":"assistant"`, `"content":"a\""`, `"content":"b"`, `"finish_reason":"stop"`,
			`"choices":[],"usage":{"prompt_tokens":21,"completion_tokens":8,"total_tokens":29}`, "data: [DONE]\n\n",
		} {
			_, after, found := strings.Cut(rest, part)
			if !found {
				t.Fatalf("%s is missing or out of order in:\n%s", part, text)
			}
			rest = after
		}
		if rest != "" {
			t.Errorf("after [DONE] comes %q", rest)
		}
	})
	t.Run("a stream has usage only when it is asked for", func(t *testing.T) {
		text, _ := read(t, NewServer(t, Reply{Pieces: []string{"a"}}), `{"stream":true}`)
		if strings.Contains(text, "prompt_tokens") {
			t.Errorf("got %s", text)
		}
	})
	t.Run("a whole answer is one object", func(t *testing.T) {
		text, _ := read(t, NewServer(t, Reply{Pieces: []string{"a", "b"}}), `{}`)
		if !strings.Contains(text, `"message":{"role":"assistant","content":"ab"}`) || strings.Contains(text, "data:") {
			t.Errorf("got %s", text)
		}
	})
	t.Run("calls of tools come with their arguments and a finish_reason", func(t *testing.T) {
		text, _ := read(t, NewServer(t, Reply{ToolCalls: []ToolCall{{ID: "c1", Name: "find", Arguments: `{"q":1}`}}}), streamed)
		for _, part := range []string{`"name":"find"`, `"arguments":"{\"q\":1}"`, `"finish_reason":"tool_calls"`} {
			if !strings.Contains(text, part) {
				t.Errorf("%s is missing in:\n%s", part, text)
			}
		}
	})
	t.Run("a cut stream has the given number of bytes and an unexpected end", func(t *testing.T) {
		text, err := read(t, NewServer(t, Reply{Pieces: []string{"a"}, CutAfter: 25}), streamed)
		if len(text) != 25 || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("got %d bytes and %v", len(text), err)
		}
	})
	t.Run("queued replies come first, then the permanent one", func(t *testing.T) {
		server := NewServer(t, Reply{Pieces: []string{"always"}})
		server.Next(Reply{Status: 503, RetryAfter: "7"})
		response, err := post(t.Context(), t, server, streamed)
		if err != nil || response.StatusCode != 503 || response.Header.Get("Retry-After") != "7" {
			t.Fatalf("got %v and %v", response, err)
		}
		_ = response.Body.Close()
		if text, _ := read(t, server, streamed); !strings.Contains(text, "always") {
			t.Errorf("got %s", text)
		}
		if got := string(server.Request(1).Body()); got != streamed || server.Arrived() != 2 {
			t.Errorf("request 1 of %d has body %s", server.Arrived(), got)
		}
	})
	t.Run("a held answer goes on when it is released", func(t *testing.T) {
		gate := NewGate()
		server := NewServer(t, Reply{Pieces: []string{"a", "b"}, Hold: gate, HoldAt: AfterPieces(1)})
		go func() {
			<-gate.Reached()
			if server.Open() != 1 {
				t.Errorf("%d requests are open, want 1", server.Open())
			}
			gate.Release()
		}()
		if text, err := read(t, server, streamed); err != nil || !strings.Contains(text, "[DONE]") {
			t.Errorf("got %s and %v", text, err)
		}
		<-server.Request(0).Done()
	})
	t.Run("the server notices a client that goes away", func(t *testing.T) {
		gate := NewGate()
		server := NewServer(t, Reply{Pieces: []string{"a"}, Hold: gate})
		ctx, cancel := context.WithCancel(t.Context())
		response, err := post(ctx, t, server, streamed)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		<-server.Request(0).Canceled()
		<-server.Request(0).Done()
		_ = response.Body.Close()
		if server.Open() != 0 {
			t.Errorf("%d requests are open, want none", server.Open())
		}
	})
	t.Run("models are listed and counted", func(t *testing.T) {
		server := NewServer(t, Reply{})
		response, err := http.Get(server.BaseURL() + "/models")
		if err != nil || response.StatusCode != http.StatusOK || server.Checks() != 1 {
			t.Fatalf("got %v and %v", response, err)
		}
		_ = response.Body.Close()
	})
}

// fixed is a model that always gives the same answer.
type fixed struct{}

func (fixed) Name() string                { return "fixed" }
func (fixed) Check(context.Context) error { return nil }
func (fixed) Count(text string) int       { return len(text) }
func (fixed) Traits() answer.Traits       { return answer.Traits{Language: true, Context: 1000} }

func (fixed) Generate(ctx context.Context, _ prompt.Prompt, emit func(string) error) (answer.Generated, error) {
	generated := answer.Generated{Model: "fixed"}
	if err := ctx.Err(); err != nil {
		return generated, err
	}
	generated.Usage.PromptTokens = 1
	for _, piece := range []string{"Yes", "."} {
		if err := ctx.Err(); err != nil {
			return generated, err
		}
		if err := emit(piece); err != nil {
			return generated, err
		}
		generated.Usage.CompletionTokens++
	}
	return generated, nil
}

func TestRefuseInTx(t *testing.T) {
	Run(t, func(*testing.T) answer.Model { return RefuseInTx(fixed{}) })
	t.Run("a call inside a transaction fails before the model is asked", func(t *testing.T) {
		ctx := intx.Mark(t.Context())
		model := RefuseInTx(fixed{})
		text, _, err := generate(ctx, model)
		if !errors.Is(err, ErrInTx) || text != "" {
			t.Errorf("Generate: %q and %v, want ErrInTx", text, err)
		}
		if err := model.Check(ctx); !errors.Is(err, ErrInTx) {
			t.Errorf("Check: %v, want ErrInTx", err)
		}
	})
}
