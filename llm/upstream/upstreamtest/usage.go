package upstreamtest

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"parley/core/answer"
	"parley/llm/llmtest"
)

func (a *Adapter) usageWithoutAnswer(t *testing.T) {
	for name, at := range map[string]llmtest.Point{
		"before the headers has the tokens of its prompt":     llmtest.BeforeHeaders,
		"before the first token has the tokens of its prompt": llmtest.BeforeFirstPiece,
	} {
		t.Run("a request that was canceled "+name, func(t *testing.T) {
			gate := llmtest.NewGate()
			server := a.Serve(t, llmtest.Reply{Pieces: []string{"a"}, OmitUsage: true, Hold: gate, HoldAt: at})
			_, usage, err := generate(canceledAt(t, gate.Reached()), a.at(t, server, nil))
			if !errors.Is(err, context.Canceled) {
				t.Errorf("err = %v", err)
			}
			WantPromptOnly(t, usage)
		})
		t.Run("a request that timed out "+name, func(t *testing.T) {
			server := a.Serve(t, llmtest.Reply{Pieces: []string{"a"}, OmitUsage: true, Hold: llmtest.NewGate(), HoldAt: at})
			_, usage, err := generate(t.Context(), a.at(t, server, func(c *Config) { c.Limits.FirstToken = 50 * time.Millisecond }))
			WantFault(t, err, NotAnswered)
			WantPromptOnly(t, usage)
		})
	}
	for name, reply := range map[string]llmtest.Reply{
		"a wrong request":        {Status: 400},
		"one it is too busy for": {Status: 429, RetryAfter: "60"},
		"one that it fails at":   {Status: 500},
	} {
		t.Run("a server that refuses "+name+" reports no usage", func(t *testing.T) {
			_, usage, err := generate(t.Context(), a.at(t, a.Serve(t, reply), nil))
			if err == nil || usage != (answer.Usage{}) {
				t.Errorf("got %+v and %v", usage, err)
			}
		})
	}
	t.Run("waiting for a retry uses nothing, because the last try was refused", func(t *testing.T) {
		server := a.Serve(t, llmtest.Reply{Status: 429, RetryAfter: "3000"})
		ctx, cancel := context.WithCancel(t.Context())
		_, usage, err := generate(ctx, a.at(t, server, func(c *Config) {
			c.Limits.MaxRetryDelay = time.Hour
			c.HTTPClient = &http.Client{Transport: answered{http.DefaultTransport, cancel}}
		}))
		if err == nil || usage != (answer.Usage{}) {
			t.Errorf("got %+v and %v", usage, err)
		}
	})
	t.Run("a server that disappears after one answer adds no usage", func(t *testing.T) {
		server := a.Serve(t, llmtest.Reply{Pieces: []string{"a"}})
		gone := false
		client := dialing(func(address string) string {
			if gone {
				return deaf
			}
			return address
		})
		model := a.at(t, server, func(c *Config) { c.HTTPClient = client })
		if _, _, err := generate(t.Context(), model); err != nil {
			t.Fatal(err)
		}
		gone = true
		client.CloseIdleConnections()
		_, usage, err := generate(t.Context(), model)
		WantFault(t, err, NotAnswered)
		if usage != (answer.Usage{}) {
			t.Errorf("usage = %+v, want none", usage)
		}
	})
}

// answered calls then once a response has arrived.
type answered struct {
	http.RoundTripper
	then func()
}

func (a answered) RoundTrip(request *http.Request) (*http.Response, error) {
	defer a.then()
	return a.RoundTripper.RoundTrip(request)
}

func (a *Adapter) checks(t *testing.T) {
	t.Run("call the server occasionally, and fail like requests", func(t *testing.T) {
		server := a.Serve(t, llmtest.Reply{})
		model := a.at(t, server, nil)
		for range 3 {
			if err := model.Check(t.Context()); err != nil || server.Checks() != 1 {
				t.Errorf("got %v after %d requests", err, server.Checks())
			}
		}
		server.AnswerModels(llmtest.Reply{Status: 401, ErrorBody: a.Echo})
		for range 3 {
			model = a.at(t, server, nil)
			WantFault(t, model.Check(t.Context()), RejectsKey)
		}
		if server.Checks() != 4 {
			t.Errorf("%d requests were sent, want 4", server.Checks())
		}
	})
	t.Run("are not made for a caller who has gone", func(t *testing.T) {
		server := a.Serve(t, llmtest.Reply{})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := a.at(t, server, nil).Check(ctx); !errors.Is(err, context.Canceled) || server.Checks() != 0 {
			t.Errorf("got %v after %d requests", err, server.Checks())
		}
	})
}
