package openai

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"

	"parley/core/chat"
	"parley/llm/llmtest"
)

// answered calls then when a response has come.
type answered struct {
	http.RoundTripper
	then func()
}

func (a answered) RoundTrip(request *http.Request) (*http.Response, error) {
	defer a.then()
	return a.RoundTripper.RoundTrip(request)
}

func TestUsageWithoutAnswer(t *testing.T) {
	for name, at := range map[string]llmtest.Point{
		"a request that was cancelled before the headers has the tokens of its prompt":     llmtest.BeforeHeaders,
		"a request that was cancelled before the first token has the tokens of its prompt": llmtest.BeforeFirstPiece,
	} {
		t.Run(name, func(t *testing.T) {
			gate := llmtest.NewGate()
			server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"a"}, Hold: gate, HoldAt: at})
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-gate.Reached()
				cancel()
			}()
			_, usage, err := generate(ctx, open(t, server, nil))
			if err != context.Canceled {
				t.Errorf("err = %v", err)
			}
			wantPromptOnly(t, usage)
		})
		t.Run(name+", and so has one that timed out", func(t *testing.T) {
			server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"a"}, Hold: llmtest.NewGate(), HoldAt: at})
			model := open(t, server, func(c *Config) { c.FirstTokenTimeout = 50 * time.Millisecond })
			_, usage, err := generate(t.Context(), model)
			wantUpstream(t, err, notAnswered)
			wantPromptOnly(t, usage)
		})
	}
	for name, reply := range map[string]llmtest.Reply{
		"a refusal":              {Status: 400},
		"a refusal for want":     {Status: 429, RetryAfter: "60"},
		"a failure of a server ": {Status: 500},
	} {
		t.Run(name+" has no usage", func(t *testing.T) {
			_, usage, err := generate(t.Context(), open(t, llmtest.NewServer(t, reply), nil))
			if err == nil || usage != (chat.Usage{}) {
				t.Errorf("got %+v and %v", usage, err)
			}
		})
	}
	t.Run("a wait for the next try has no usage, as the last was refused", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{Status: 429, RetryAfter: "3000"})
		ctx, cancel := context.WithCancel(t.Context())
		_, usage, err := generate(ctx, open(t, server, func(c *Config) {
			c.MaxRetryDelay = time.Hour
			c.HTTPClient = &http.Client{Transport: answered{http.DefaultTransport, cancel}}
		}))
		if err == nil || usage != (chat.Usage{}) {
			t.Errorf("got %+v and %v", usage, err)
		}
	})
	t.Run("a server that is not there any more after one answer was never asked", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"a"}})
		reached := true
		model := open(t, server, func(c *Config) {
			c.HTTPClient = NewHTTPClient()
			transport := c.HTTPClient.Transport.(*http.Transport)
			dial := transport.DialContext
			transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
				if !reached {
					address = "127.0.0.1:1"
				}
				return dial(ctx, network, address)
			}
		})
		if _, _, err := generate(t.Context(), model); err != nil {
			t.Fatal(err)
		}
		reached = false
		model.config.HTTPClient.CloseIdleConnections()
		_, usage, err := generate(t.Context(), model)
		wantUpstream(t, err, notAnswered)
		if usage != (chat.Usage{}) {
			t.Errorf("usage = %+v, want none", usage)
		}
	})
	t.Run("an empty answer has the usage that the server reports", func(t *testing.T) {
		_, usage, err := generate(t.Context(), open(t, llmtest.NewServer(t, llmtest.Reply{}), nil))
		wantUpstream(t, err, notAnswered)
		if want := (chat.Usage{PromptTokens: 21, CompletionTokens: 8}); usage != want {
			t.Errorf("usage = %+v, want %+v", usage, want)
		}
	})
	t.Run("thinking that came to nothing is counted", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{Reasoning: []string{"hello", " world"}, OmitUsage: true, OmitFinish: true, OmitDone: true})
		_, usage, err := generate(t.Context(), open(t, server, nil))
		wantUpstream(t, err, notAnswered)
		if !usage.Estimated || usage.CompletionTokens != 2 {
			t.Errorf("usage = %+v", usage)
		}
	})
}
