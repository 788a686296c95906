package fallback_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/core/answer"
	"parley/core/answer/extractive"
	"parley/core/answer/prompt"
	"parley/core/fault"
	"parley/llm/fallback"
	"parley/llm/llmtest"
	"parley/llm/openai"
	"parley/llm/upstream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// both is a first model and its fallback, each with its own server.
type both struct {
	*testing.T
	first, second *llmtest.Server
	answer.Model
	log *bytes.Buffer
}

func newBoth(t *testing.T, first, second llmtest.Reply) *both {
	t.Helper()
	b := &both{T: t, first: llmtest.NewServer(t, first), second: llmtest.NewServer(t, second), log: new(bytes.Buffer)}
	b.Model = fallback.New(model(t, b.first, "first"), model(t, b.second, "second"), slog.New(slog.NewTextHandler(b.log, nil)))
	return b
}

// model calls a server without retries.
func model(t *testing.T, server *llmtest.Server, name string) answer.Model {
	t.Helper()
	client := upstream.NewHTTPClient()
	t.Cleanup(client.CloseIdleConnections)
	m, err := openai.New(openai.Config{
		BaseURL: server.BaseURL(), APIKey: "sk-canary-of-" + name, Model: name, Retries: -1, FirstTokenTimeout: 30 * time.Second,
		Tools: name == "first", Context: map[string]int{"first": 9_000, "second": 5_000}[name], HTTPClient: client,
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (b *both) ask(asked prompt.Prompt) (string, answer.Generated, error) {
	b.Helper()
	var text strings.Builder
	generated, err := b.Generate(b.Context(), asked, func(piece string) error {
		text.WriteString(piece)
		return nil
	})
	return text.String(), generated, err
}

var (
	well   = llmtest.Reply{Pieces: []string{"All is ", "well."}, Usage: &llmtest.Usage{PromptTokens: 10, CompletionTokens: 4}}
	broken = llmtest.Reply{Status: 500}
)

func TestSuite(t *testing.T) {
	llmtest.Run(t, func(t *testing.T) answer.Model { return newBoth(t, well, well).Model })
	t.Run("by the fallback", func(t *testing.T) {
		llmtest.Run(t, func(t *testing.T) answer.Model {
			first := newBoth(t, broken, well)
			first.first.AnswerModels(llmtest.Reply{Status: 500})
			return renamed{first.Model}
		})
	})
}

// renamed carries the name of the model that answers behind it.
type renamed struct{ answer.Model }

func (renamed) Name() string { return "second" }

func TestMove(t *testing.T) {
	for sentence, reply := range map[string]llmtest.Reply{
		"a server that fails":                     broken,
		"a server that is busy":                   {Status: 429, RetryAfter: "7"},
		"a bad key":                               {Status: 401},
		"an unknown model":                        {Status: 404},
		"a connection that breaks":                {Pieces: []string{"x"}, CutAfter: llmtest.CutAtStart},
		"an empty answer":                         {},
		"a malformed stream":                      {Raw: []string{"{nonsense"}},
		"a break after the role, before any text": {Pieces: []string{"x"}, CutAfter: 40},
		"an answer that is only reasoning":        {Reasoning: []string{"hm"}, CutAtEnd: true, OmitFinish: true, OmitDone: true},
	} {
		t.Run("the fallback answers after "+sentence, func(t *testing.T) {
			b := newBoth(t, reply, well)
			text, generated, err := b.ask(llmtest.Prompt())
			if err != nil || text != "All is well." || generated.Model != "second" {
				t.Errorf("got %q of %q, %v", text, generated.Model, err)
			}
			if b.first.Arrived() != 1 || b.second.Arrived() != 1 {
				t.Errorf("they were asked %d and %d times", b.first.Arrived(), b.second.Arrived())
			}
		})
	}

	t.Run("the fallback answers when nothing listens at the first one's address", func(t *testing.T) {
		server := llmtest.NewServer(t, well)
		client := upstream.NewHTTPClient()
		t.Cleanup(client.CloseIdleConnections)
		gone, err := openai.New(openai.Config{BaseURL: "http://127.0.0.1:1/v1", Model: "first", Retries: -1, HTTPClient: client})
		if err != nil {
			t.Fatal(err)
		}
		pair := fallback.New(gone, model(t, server, "second"), slog.New(slog.DiscardHandler))
		generated, err := pair.Generate(t.Context(), llmtest.Prompt(), func(string) error { return nil })
		if err != nil || generated.Model != "second" || generated.Usage.PromptTokens != 10 {
			t.Errorf("got %+v, %v", generated, err)
		}
	})

	t.Run("the fallback answers when the first takes too long", func(t *testing.T) {
		gate := llmtest.NewGate()
		slow, second := llmtest.NewServer(t, llmtest.Reply{Hold: gate}), llmtest.NewServer(t, well)
		client := upstream.NewHTTPClient()
		t.Cleanup(client.CloseIdleConnections)
		first, err := openai.New(openai.Config{BaseURL: slow.BaseURL(), Model: "first", Retries: -1, FirstTokenTimeout: 50 * time.Millisecond, HTTPClient: client})
		if err != nil {
			t.Fatal(err)
		}
		pair := fallback.New(first, model(t, second, "second"), slog.New(slog.DiscardHandler))
		generated, err := pair.Generate(t.Context(), llmtest.Prompt(), func(string) error { return nil })
		if err != nil || generated.Model != "second" {
			t.Errorf("got %+v, %v", generated, err)
		}
		if usage := generated.Usage; usage.PromptTokens <= 10 || usage.CompletionTokens != 4 || !usage.Estimated {
			t.Errorf("the usage is %+v, want that of both attempts", usage)
		}
		<-slow.Request(0).Canceled()
	})

	t.Run("an answer without a stream falls back, too", func(t *testing.T) {
		b := newBoth(t, broken, well)
		asked := llmtest.Prompt()
		asked.Whole = true
		if text, _, err := b.ask(asked); err != nil || text != "All is well." {
			t.Errorf("got %q, %v", text, err)
		}
	})

	t.Run("a failure after the first text is final", func(t *testing.T) {
		b := newBoth(t, llmtest.Reply{Pieces: []string{"Half an ", "answer"}, CutAtEnd: true, OmitFinish: true, OmitDone: true}, well)
		text, generated, err := b.ask(llmtest.Prompt())
		if !fault.Is(err, fault.Upstream) || !strings.HasPrefix("Half an answer", text) || text == "" || generated.Model != "first" {
			t.Errorf("got %q of %q, %v", text, generated.Model, err)
		}
		if b.second.Arrived() != 0 {
			t.Error("the fallback was asked")
		}
	})

	t.Run("the first model is asked only once", func(t *testing.T) {
		b := newBoth(t, well, broken)
		if _, generated, err := b.ask(llmtest.Prompt()); err != nil || generated.Model != "first" || b.second.Arrived() != 0 {
			t.Errorf("got %+v, %v", generated, err)
		}
	})

	t.Run("the fallback does not answer a caller who has left", func(t *testing.T) {
		gate := llmtest.NewGate()
		b := newBoth(t, llmtest.Reply{Hold: gate}, well)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			<-b.first.Request(0).Arrived()
			cancel()
		}()
		_, err := b.Generate(ctx, llmtest.Prompt(), func(string) error { return nil })
		if !errors.Is(err, context.Canceled) || b.second.Arrived() != 0 {
			t.Errorf("got %v, and the fallback was asked %d times", err, b.second.Arrived())
		}
	})

	t.Run("when both fail, the caller gets the fallback's error", func(t *testing.T) {
		b := newBoth(t, broken, llmtest.Reply{Status: 429, RetryAfter: "7"})
		_, generated, err := b.ask(llmtest.Prompt())
		if f := fault.As(err); f.Kind != fault.Unavailable || f.Code() != fault.ModelBusy || f.RetryAfter != 7*time.Second || generated.Model != "second" {
			t.Errorf("got %+v, %v", generated, err)
		}
	})

	t.Run("the log names the models, but neither keys nor texts", func(t *testing.T) {
		b := newBoth(t, llmtest.Reply{Status: 500, ErrorBody: `{"error":{"message":"sk-canary-of-first reset the router"}}`}, well)
		if _, _, err := b.ask(llmtest.Prompt()); err != nil {
			t.Fatal(err)
		}
		logged := b.log.String()
		if !strings.Contains(logged, "model=first") || !strings.Contains(logged, "fallback=second") || !strings.Contains(logged, "500") {
			t.Errorf("it is %s", logged)
		}
		if strings.Contains(logged, "canary") || strings.Contains(logged, "router") {
			t.Errorf("it leaks: %s", logged)
		}
	})
}

func TestPair(t *testing.T) {
	t.Run("it has the first one's name and tokenizer, and the smaller context", func(t *testing.T) {
		b := newBoth(t, well, well)
		if traits := b.Traits(); traits.Context != 5_000 || !traits.Tools || !traits.Language || b.Name() != "first" {
			t.Errorf("it is %q with %+v", b.Name(), traits)
		}
	})

	t.Run("it is reachable while one of the two is", func(t *testing.T) {
		b := newBoth(t, well, well)
		b.first.AnswerModels(llmtest.Reply{Status: 500})
		if err := b.Check(t.Context()); err != nil {
			t.Error(err)
		}
		none := newBoth(t, well, well)
		none.first.AnswerModels(llmtest.Reply{Status: 500})
		none.second.AnswerModels(llmtest.Reply{Status: 500})
		if err := none.Check(t.Context()); err == nil {
			t.Error("Check succeeds although neither can be reached")
		}
	})

	t.Run("a fallback without tools gets their results as text", func(t *testing.T) {
		b := newBoth(t, broken, well)
		asked := llmtest.Prompt()
		asked.Tools = []prompt.Tool{{Name: "search_knowledge", Description: "Searches.", Parameters: `{"type":"object"}`}}
		asked.Messages = append(asked.Messages,
			prompt.Message{Role: prompt.AssistantRole, Calls: []prompt.Call{{ID: "call_1", Name: "search_knowledge", Arguments: "{}"}}},
			prompt.Message{Role: prompt.ToolRole, CallID: "call_1", Text: "[2] The router is blue."})
		if text, _, err := b.ask(asked); err != nil || text != "All is well." {
			t.Fatalf("got %q, %v", text, err)
		}
		if sent := string(b.first.Request(0).Body()); !strings.Contains(sent, `"tool"`) || !strings.Contains(sent, "call_1") {
			t.Errorf("the first was sent %s", sent)
		}
		if sent := string(b.second.Request(0).Body()); strings.Contains(sent, `"tool`) || strings.Contains(sent, "call_1") || !strings.Contains(sent, "The router is blue.") {
			t.Errorf("the fallback was sent %s", sent)
		}
		if len(asked.Messages[2].Calls) != 1 {
			t.Error("the prompt was changed")
		}
	})

	t.Run("a fallback that is not a language model answers only questions", func(t *testing.T) {
		server := llmtest.NewServer(t, broken)
		pair := fallback.New(model(t, server, "first"), extractive.New(), slog.New(slog.DiscardHandler))
		var text strings.Builder
		emit := func(piece string) error {
			text.WriteString(piece)
			return nil
		}
		if _, err := pair.Generate(t.Context(), llmtest.Prompt(), emit); err != nil || !strings.Contains(text.String(), "ten seconds") {
			t.Errorf("got %q, %v", text.String(), err)
		}
		text.Reset()
		_, err := pair.Generate(t.Context(), prompt.Prompt{Messages: llmtest.Prompt().Messages, Whole: true}, emit)
		if !fault.Is(err, fault.Upstream) || text.Len() > 0 {
			t.Errorf("got %q, %v", text.String(), err)
		}
	})
}
