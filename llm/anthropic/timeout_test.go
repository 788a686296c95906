package anthropic

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"parley/llm/llmtest"
)

func TestTimeout(t *testing.T) {
	for name, at := range map[string]llmtest.Point{
		"headers that never come are a failure":       llmtest.BeforeHeaders,
		"a first token that never comes is a failure": llmtest.BeforeFirstPiece,
	} {
		t.Run(name, func(t *testing.T) {
			server := llmtest.NewAnthropic(t, llmtest.Reply{Pieces: []string{"a"}, Hold: llmtest.NewGate(), HoldAt: at})
			model := open(t, server, func(c *Config) { c.FirstTokenTimeout = 50 * time.Millisecond })
			_, _, err := generate(t.Context(), model)
			if found := wantUpstream(t, err, notAnswered); !errors.Is(found, errFirstToken) {
				t.Errorf("cause = %v, want %v", found.Cause, errFirstToken)
			}
		})
	}
	t.Run("an answer that stalls fails with the whole time, not with the first token's", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			model, err := New(Config{
				BaseURL: "http://model.test", Model: "m", HTTPClient: &http.Client{Transport: scripted{"a"}},
				FirstTokenTimeout: time.Second, Timeout: time.Minute,
			})
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			_, _, err = generate(t.Context(), model)
			if found := wantUpstream(t, err, brokeOff); !errors.Is(found, errWholeTime) {
				t.Errorf("cause = %v, want %v", found.Cause, errWholeTime)
			}
			if took := time.Since(began); took != time.Minute {
				t.Errorf("it took %v, want a minute", took)
			}
		})
	})
	t.Run("a stream that stays open after its answer holds the answer back no longer than for its end", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			model, err := New(Config{
				BaseURL: "http://model.test", Model: "m", HTTPClient: &http.Client{Transport: scripted{"a", ""}},
			})
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			got, generated, err := generate(t.Context(), model)
			if err != nil || len(got) != 1 || !generated.Usage.Estimated || time.Since(began) != usageTime {
				t.Errorf("got %q, %+v and %v after %v", got, generated.Usage, err, time.Since(began))
			}
		})
	})
}

// scripted answers with its pieces, an empty one being the stop_reason, and
// then keeps the stream open. It lets time be synthetic, which sockets do not.
type scripted []string

func (pieces scripted) RoundTrip(request *http.Request) (*http.Response, error) {
	reader, writer := io.Pipe()
	context.AfterFunc(request.Context(), func() { _ = writer.CloseWithError(context.Cause(request.Context())) })
	go func() {
		for _, piece := range pieces {
			event := `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + piece + `"}}`
			if piece == "" {
				event = `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`
			}
			_, _ = io.WriteString(writer, "data: "+event+"\n\n")
		}
	}()
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: reader, Request: request}, nil
}
