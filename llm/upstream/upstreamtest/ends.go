package upstreamtest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/core/answer"
	"parley/llm/llmtest"
	"parley/llm/upstream"
)

func (a *Adapter) canceling(t *testing.T) {
	for name, at := range map[string]llmtest.Point{
		"before the headers ends the request":         llmtest.BeforeHeaders,
		"before the first token ends the request":     llmtest.BeforeFirstPiece,
		"in the middle of an answer ends the request": llmtest.AfterPieces(1),
	} {
		for how, whole := range map[string]bool{"": false, ", also of a whole answer": true} {
			t.Run(name+how, func(t *testing.T) {
				gate := llmtest.NewGate()
				server := a.Serve(t, llmtest.Reply{Pieces: []string{"a", "b"}, Hold: gate, HoldAt: at})
				prompt := llmtest.Prompt()
				prompt.Whole = whole
				_, _, err := Generate(canceledAt(t, gate.Reached()), a.at(t, server, nil), prompt)
				if !errors.Is(err, context.Canceled) {
					t.Errorf("err = %v, want context.Canceled", err)
				}
				<-server.Request(0).Canceled()
				<-server.Request(0).Done()
				if server.Open() != 0 || server.Arrived() != 1 {
					t.Errorf("%d of %d requests are open", server.Open(), server.Arrived())
				}
			})
		}
	}
	t.Run("by an error of emit ends the request", func(t *testing.T) {
		gate := llmtest.NewGate()
		server := a.Serve(t, llmtest.Reply{Pieces: []string{"a", "b"}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
		stop := errors.New("stop")
		_, err := a.at(t, server, nil).Generate(t.Context(), llmtest.Prompt(), func(string) error { return stop })
		if !errors.Is(err, stop) {
			t.Errorf("err = %v, want the error of emit", err)
		}
		<-server.Request(0).Canceled()
	})
	t.Run("ends the wait before a retry", func(t *testing.T) {
		server := a.Serve(t, llmtest.Reply{Status: 429, RetryAfter: "3000"})
		model := a.at(t, server, func(c *Config) { c.Limits.MaxRetryDelay = time.Hour })
		if _, _, err := generate(canceledAt(t, server.Request(0).Done()), model); !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v, want context.Canceled", err)
		}
	})
}

// canceledAt returns a context that ends when the channel is closed.
func canceledAt(t *testing.T, moment <-chan struct{}) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-moment
		cancel()
	}()
	return ctx
}

func (a *Adapter) timeouts(t *testing.T) {
	for name, at := range map[string]llmtest.Point{
		"headers that never come are a failure":       llmtest.BeforeHeaders,
		"a first token that never comes is a failure": llmtest.BeforeFirstPiece,
	} {
		t.Run(name, func(t *testing.T) {
			server := a.Serve(t, llmtest.Reply{Pieces: []string{"a"}, Hold: llmtest.NewGate(), HoldAt: at})
			model := a.at(t, server, func(c *Config) { c.Limits.FirstToken = 50 * time.Millisecond })
			_, _, err := generate(t.Context(), model)
			wantCause(t, WantFault(t, err, NotAnswered), "the first token did not arrive in time")
		})
	}
	t.Run("an answer that stalls reaches the total time limit, not the first token's", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			limits := upstream.Limits{FirstToken: time.Second, Timeout: time.Minute}
			began := time.Now()
			_, _, err := generate(t.Context(), a.stalling(t, limits, a.Text))
			wantCause(t, WantFault(t, err, BrokeOff), "the answer did not end in time")
			if took := time.Since(began); took != time.Minute {
				t.Errorf("it took %v, want a minute", took)
			}
		})
	})
	t.Run("a stream that stays open after its answer delays the end for 2 seconds", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			got, usage, err := generate(t.Context(), a.stalling(t, upstream.Limits{}, a.Text, a.End))
			if err != nil || len(got) != 1 || !usage.Estimated || time.Since(began) != 2*time.Second {
				t.Errorf("got %q, %+v and %v after %v", got, usage, err, time.Since(began))
			}
		})
	})
}

func wantCause(t *testing.T, found interface{ Unwrap() error }, want string) {
	t.Helper()
	if cause := found.Unwrap(); cause.Error() != want {
		t.Errorf("cause = %v, want %q", cause, want)
	}
}

// stalling returns a model whose server sends these lines and then nothing.
func (a *Adapter) stalling(t *testing.T, limits upstream.Limits, lines ...string) answer.Model {
	client := &http.Client{Transport: stalling("data: " + strings.Join(lines, "\n\ndata: ") + "\n\n")}
	return a.Open(t, Config{BaseURL: "http://model.test/v1", Limits: limits, HTTPClient: client})
}

// stalling is a transport without sockets, so that time can be synthetic.
type stalling string

func (s stalling) RoundTrip(request *http.Request) (*http.Response, error) {
	reader, writer := io.Pipe()
	context.AfterFunc(request.Context(), func() { _ = writer.CloseWithError(context.Cause(request.Context())) })
	go func() { _, _ = io.WriteString(writer, string(s)) }()
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: reader, Request: request}, nil
}
