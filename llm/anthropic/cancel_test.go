package anthropic

import (
	"context"
	"errors"
	"testing"
	"time"

	"parley/llm/llmtest"
)

func TestCancel(t *testing.T) {
	for name, at := range map[string]llmtest.Point{
		"cancelling before the headers ends the request":         llmtest.BeforeHeaders,
		"cancelling before the first token ends the request":     llmtest.BeforeFirstPiece,
		"cancelling in the middle of an answer ends the request": llmtest.AfterPieces(1),
	} {
		t.Run(name, func(t *testing.T) {
			gate := llmtest.NewGate()
			server := llmtest.NewAnthropic(t, llmtest.Reply{Pieces: []string{"a", "b"}, Hold: gate, HoldAt: at})
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-gate.Reached()
				cancel()
			}()
			_, _, err := generate(ctx, open(t, server, nil))
			if !errors.Is(err, context.Canceled) {
				t.Errorf("err = %v, want context.Canceled", err)
			}
			<-server.Request(0).Cancelled()
			<-server.Request(0).Done()
			if server.Open() != 0 || server.Arrived() != 1 {
				t.Errorf("%d of %d requests are open", server.Open(), server.Arrived())
			}
		})
	}
	t.Run("an error of emit ends the request", func(t *testing.T) {
		gate := llmtest.NewGate()
		server := llmtest.NewAnthropic(t, llmtest.Reply{Pieces: []string{"a", "b"}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
		stop := errors.New("stop")
		_, err := open(t, server, nil).Generate(t.Context(), llmtest.Prompt(), func(string) error { return stop })
		if !errors.Is(err, stop) {
			t.Errorf("err = %v, want the error of emit", err)
		}
		<-server.Request(0).Cancelled()
	})
	t.Run("the wait before a retry ends with the context", func(t *testing.T) {
		server := llmtest.NewAnthropic(t, llmtest.Reply{Status: 429, RetryAfter: "3000"})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-server.Request(0).Done()
			cancel()
		}()
		model := open(t, server, func(c *Config) { c.MaxRetryDelay = time.Hour })
		if _, _, err := generate(ctx, model); !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v, want context.Canceled", err)
		}
	})
}
