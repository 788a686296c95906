package openai

import (
	"strings"
	"sync"
	"testing"

	"parley/core/answer/prompt"
	"parley/llm/llmtest"
)

// noTemperature is how OpenAI's reasoning models refuse a temperature.
var noTemperature = llmtest.Reply{Status: 400, ErrorBody: `{"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model.",` +
	`"type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`}

func TestTemperatureRefused(t *testing.T) {
	cold := 0.0
	asked := prompt.Prompt{Temperature: &cold, Messages: []prompt.Message{{Role: prompt.UserRole, Text: "How?"}}}
	ask := func(t *testing.T, model *Model) error {
		t.Helper()
		var text strings.Builder
		_, err := model.Generate(t.Context(), asked, func(piece string) error {
			text.WriteString(piece)
			return nil
		})
		if err == nil && text.String() != "Yes." {
			t.Errorf("got %q", text.String())
		}
		return err
	}
	has := func(server *llmtest.Server, request int) bool {
		return strings.Contains(string(server.Request(request).Body()), `"temperature"`)
	}
	t.Run("a temperature that the model refuses is omitted, then and afterward", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
		server.Next(noTemperature)
		model := open(t, server, nil)
		for range 2 {
			if err := ask(t, model); err != nil {
				t.Fatal(err)
			}
		}
		if !has(server, 0) || has(server, 1) || has(server, 2) || server.Arrived() != 3 {
			t.Errorf("%d requests, with a temperature: %v, %v, %v", server.Arrived(), has(server, 0), has(server, 1), has(server, 2))
		}
	})
	t.Run("a server that keeps refusing is not called a third time", func(t *testing.T) {
		server := llmtest.NewServer(t, noTemperature)
		if err := ask(t, open(t, server, nil)); err == nil || server.Arrived() != 2 {
			t.Errorf("%v after %d requests", err, server.Arrived())
		}
	})
	t.Run("another refusal is final", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{Status: 400, ErrorBody: strings.ReplaceAll(noTemperature.ErrorBody, `"temperature"`, `"model"`)})
		if err := ask(t, open(t, server, nil)); err == nil || server.Arrived() != 1 {
			t.Errorf("%v after %d requests", err, server.Arrived())
		}
	})
	t.Run("concurrent answers all succeed", func(t *testing.T) {
		const together = 4
		server, refusal := llmtest.NewServer(t, llmtest.Reply{}), noTemperature
		refusal.Hold, refusal.HoldAt = llmtest.NewGate(), llmtest.BeforeHeaders
		server.Answers(func(body []byte) llmtest.Reply {
			if strings.Contains(string(body), `"temperature"`) {
				return refusal
			}
			return llmtest.Reply{Pieces: []string{"Yes."}}
		})
		model := open(t, server, nil)
		var all sync.WaitGroup
		for range together {
			all.Go(func() {
				if err := ask(t, model); err != nil {
					t.Error(err)
				}
			})
		}
		for n := range together {
			<-server.Request(n).Arrived()
		}
		refusal.Hold.Release()
		all.Wait()
		if n := server.Arrived(); n != 2*together {
			t.Errorf("%d requests for %d answers", n, together)
		}
	})
}
