package anthropic

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/llm/llmtest"
	"parley/llm/upstream/upstreamtest"
)

// echo is what a server could send back to get it logged.
const echo = `{"type":"error","error":{"message":"` + testPrompt + `","type":"` + testKey + `"},"request_id":"` + testPrompt + `"}`

func TestRefusal(t *testing.T) {
	for name, c := range map[string]struct {
		reply    llmtest.Reply
		message  string
		requests int
	}{
		"an overloaded server is called three times":             {llmtest.Reply{Status: 529, ErrorBody: echo}, tooBusy, 3},
		"an overloaded one that names a long wait is not":        {llmtest.Reply{Status: 529, RetryAfter: "60"}, tooBusy, 1},
		"a Retry-After that is not a number is ignored":          {llmtest.Reply{Status: 429, RetryAfter: "1e18"}, tooBusy, 3},
		"a declined question is a failure that says so":          {llmtest.Reply{Finish: "refusal"}, declined, 1},
		"a question that the model declines halfway is one, too": {llmtest.Reply{Pieces: []string{"a"}, Finish: "refusal"}, declined, 1},
		"nothing but thinking is a failure":                      {llmtest.Reply{Reasoning: []string{"hm"}, Finish: "max_tokens"}, notAnswered, 1},
	} {
		t.Run(name, func(t *testing.T) {
			server := llmtest.NewAnthropic(t, c.reply)
			_, generated, err := generate(t.Context(), open(t, server, nil))
			upstreamtest.WantFault(t, err, c.message)
			if got := server.Arrived(); got != c.requests {
				t.Errorf("%d requests were sent, want %d", got, c.requests)
			}
			if generated.Model != "test-model" {
				t.Errorf("Model = %q", generated.Model)
			}
		})
	}
	t.Run("the log has status and type", func(t *testing.T) {
		server := llmtest.NewAnthropic(t, llmtest.Reply{
			Status: 429, RetryAfter: "60", ErrorBody: `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`,
		})
		_, _, err := generate(t.Context(), open(t, server, nil))
		found := upstreamtest.WantFault(t, err, tooBusy)
		if got := found.Cause.Error(); got != "the server answered 429 Too Many Requests, rate_limit_error" {
			t.Errorf("cause = %q", got)
		}
	})
	t.Run("an overload within the stream is reported as one", func(t *testing.T) {
		server := llmtest.NewAnthropic(t, llmtest.Reply{Raw: []string{`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}})
		_, _, err := generate(t.Context(), open(t, server, nil))
		found := upstreamtest.WantFault(t, err, tooBusy)
		var refused interface{ Status() int }
		if !errors.As(found, &refused) || refused.Status() != 529 {
			t.Errorf("cause = %v", found.Cause)
		}
		if got := found.Cause.Error(); got != "the server reported an error within the stream, overloaded_error" {
			t.Errorf("cause = %q", got)
		}
	})
	t.Run("a useless answer is not the server's failure", func(t *testing.T) {
		calls := make([]llmtest.ToolCall, maxCalls+1)
		for i := range calls {
			calls[i] = llmtest.ToolCall{ID: "a", Name: "f"}
		}
		for name, c := range map[string]struct {
			reply   llmtest.Reply
			message string
		}{
			"declined":   {llmtest.Reply{Finish: "refusal"}, declined},
			"empty":      {llmtest.Reply{}, notAnswered},
			"many calls": {llmtest.Reply{ToolCalls: calls}, notAnswered},
			"long calls": {llmtest.Reply{ToolCalls: []llmtest.ToolCall{{ID: "a", Name: strings.Repeat("f", maxCallBytes)}}}, notAnswered},
		} {
			_, _, err := upstreamtest.Generate(t.Context(), open(t, llmtest.NewAnthropic(t, c.reply), nil), withTools())
			var answered interface{ Status() int }
			if found := upstreamtest.WantFault(t, err, c.message); !errors.As(found, &answered) || answered.Status() != 200 {
				t.Errorf("%s: cause = %v", name, found.Cause)
			}
		}
	})
	t.Run("an overloaded server that recovers gives its answer", func(t *testing.T) {
		server := llmtest.NewAnthropic(t, llmtest.Reply{Status: 529}, llmtest.Reply{Pieces: []string{"Yes."}})
		got, _, err := generate(t.Context(), open(t, server, nil))
		if err != nil || strings.Join(got, "") != "Yes." || server.Arrived() != 2 {
			t.Errorf("got %q and %v after %d requests", got, err, server.Arrived())
		}
	})
	t.Run("no header causes a retry after a complete answer", func(t *testing.T) {
		asked := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked++
			w.Header().Set("X-Should-Retry", "true")
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"content":[{"type":"text","text":"Yes."}],"stop_reason":"end_turn"}`)
		}))
		defer server.Close()
		if got, _, err := generate(t.Context(), openWith(t, Config{BaseURL: server.URL, Model: "m"})); err != nil || asked != 1 || strings.Join(got, "") != "Yes." {
			t.Errorf("got %q and %v after %d requests", got, err, asked)
		}
	})
}

// redirecting returns the address of a server that redirects everybody to another.
func redirecting(t *testing.T, to string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, to+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
