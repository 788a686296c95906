package openai

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/llm/llmtest"
	"parley/llm/upstream/upstreamtest"
)

// TestEveryCut checks one rule: an answer is complete if and only if the line with
// its finish_reason has arrived, and otherwise it is a fault.
func TestEveryCut(t *testing.T) {
	server := llmtest.NewServer(t, llmtest.Reply{})
	model := open(t, server, nil)
	t.Run("a connection that breaks anywhere gives a complete answer or a fault", func(t *testing.T) {
		for after := range llmtest.CutPositions() {
			server.Always(llmtest.CutRecording(after))
			outcomeOf(t, model, after, after >= llmtest.RecordedComplete())
		}
	})
	t.Run("so does a stream that just ends, where its end also ends the last line", func(t *testing.T) {
		recording := llmtest.Recording().Body
		for after := range llmtest.CutPositions() {
			client := &http.Client{Transport: ending(recording[:after])}
			model := open(t, server, func(c *Config) { c.HTTPClient = client })
			outcomeOf(t, model, after, after >= llmtest.RecordedComplete()-1)
		}
	})
	t.Run("an answer without a stream that is cut anywhere is a fault, and none of it is emitted", func(t *testing.T) {
		prompt := llmtest.Prompt()
		prompt.Whole = true
		for after := 1; after < 200; after++ {
			server.Always(llmtest.CutRecording(after))
			generated, err := model.Generate(t.Context(), prompt, func(string) error {
				t.Errorf("cut after %d bytes: something was emitted", after)
				return nil
			})
			upstreamtest.WantFault(t, err, notAnswered)
			upstreamtest.WantPromptOnly(t, generated.Usage)
		}
	})
}

// ending is a transport whose response ends normally after the given text.
type ending string

func (e ending) RoundTrip(request *http.Request) (*http.Response, error) {
	body := io.NopCloser(strings.NewReader(string(e)))
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: body, Request: request}, nil
}

func outcomeOf(t *testing.T, model *Model, after int, complete bool) {
	t.Helper()
	pieces, usage, err := generate(t.Context(), model)
	text := strings.Join(pieces, "")
	switch {
	case !strings.HasPrefix(llmtest.RecordedText, text):
		t.Fatalf("cut after %d bytes: %q was emitted", after, text)
	case complete && (err != nil || text != llmtest.RecordedText || usage.CompletionTokens < 10):
		t.Fatalf("cut after %d bytes: got %q, %+v and %v, want the whole answer", after, text, usage, err)
	case !complete && text == "":
		upstreamtest.WantFault(t, err, notAnswered)
		upstreamtest.WantPromptOnly(t, usage)
	case !complete:
		upstreamtest.WantFault(t, err, brokeOff)
		if !usage.Estimated || usage.PromptTokens < 15 || usage.CompletionTokens < 1 {
			t.Fatalf("cut after %d bytes: the usage is %+v", after, usage)
		}
	}
}
