package anthropic

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/core/chat"
	"parley/core/fault"
	"parley/llm/llmtest"
)

const (
	testKey    = "sk-ant-test-5ecret"
	testPrompt = "How do I reset the router?"
)

// open returns a model on the server, patient enough for any machine.
func open(t testing.TB, server *llmtest.Anthropic, change func(*Config)) *Model {
	t.Helper()
	config := Config{
		BaseURL: server.BaseURL(), APIKey: testKey, Model: "test-model", Tools: true,
		MaxRetryDelay: time.Millisecond, Timeout: time.Minute, FirstTokenTimeout: time.Minute,
	}
	if change != nil {
		change(&config)
	}
	model, err := New(config)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	t.Cleanup(model.config.HTTPClient.CloseIdleConnections)
	return model
}

func generate(ctx context.Context, model chat.Model) ([]string, chat.Generated, error) {
	return generateFor(ctx, model, llmtest.Prompt())
}

func generateFor(ctx context.Context, model chat.Model, prompt chat.Prompt) ([]string, chat.Generated, error) {
	var pieces []string
	generated, err := model.Generate(ctx, prompt, func(text string) error {
		pieces = append(pieces, text)
		return nil
	})
	return pieces, generated, err
}

func TestModel(t *testing.T) {
	llmtest.Run(t, func(t *testing.T) chat.Model {
		return open(t, llmtest.NewAnthropic(t, llmtest.Reply{Pieces: []string{"Press ", "the ", "button."}}), nil)
	})
}

func TestAnswer(t *testing.T) {
	pieces := []string{"Drück ", "den ", "Knopf 👍", " \"10\"\n", "Sekunden."}
	for name, reply := range map[string]llmtest.Reply{
		"an answer comes piece by piece, as the server sends it":       {},
		"lines may end with a carriage return":                         {LineBreak: "\r\n"},
		"the network may split the stream anywhere":                    {ByteByByte: true},
		"an answer with a stop_reason needs no message_stop":           {OmitDone: true},
		"an answer with a message_stop needs no stop_reason":           {OmitFinish: true},
		"thinking is not part of the answer":                           {Reasoning: []string{"hm", "so"}},
		"an answer that ended for its length is an answer":             {Finish: "max_tokens"},
		"an answer that filled the context is an answer":               {Finish: "model_context_window_exceeded"},
		"an answer that ended for a reason to be invented is one":      {Finish: "enough"},
		"an answer that is complete stays so when the connection cuts": {OmitDone: true, CutAtEnd: true},
		"events that nobody knows yet are passed over":                 {Raw: []string{`{"type":"ping"}`, `{"type":"news","delta":{"text":"x"}}`}},
	} {
		t.Run(name, func(t *testing.T) {
			reply.Pieces = pieces
			got, generated, err := generate(t.Context(), open(t, llmtest.NewAnthropic(t, reply), nil))
			if err != nil || strings.Join(got, "|") != strings.Join(pieces, "|") {
				t.Errorf("got %q and %v, want %q", got, err, pieces)
			}
			if generated.Model != "test-model" {
				t.Errorf("Model = %q", generated.Model)
			}
		})
	}
	for name, c := range map[string]struct{ pieces, want []string }{
		"a character split over two events is emitted whole":               {[]string{"a\xf0\x9f", "\x91", "\x8d", "b"}, []string{"a", "👍", "b"}},
		"bytes that are no characters become the replacement character":    {[]string{"a\xffb", "\xe4\xbd"}, []string{"a\ufffdb", "\ufffd"}},
		"an event larger than the buffers is read":                         {[]string{strings.Repeat("word ", 10_000), "end"}, []string{strings.Repeat("word ", 10_000), "end"}},
		"a long piece may end within a character, too":                     {[]string{strings.Repeat("word ", 10_000) + "\xf0\x9f", "\x91\x8d"}, []string{strings.Repeat("word ", 10_000), "👍"}},
		"an empty piece is not emitted":                                    {[]string{"", "a", ""}, []string{"a"}},
		"what looks like an event within a text is text of the answer too": {[]string{"\n\ndata: {\"type\":\"error\"}\n\n"}, []string{"\n\ndata: {\"type\":\"error\"}\n\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := llmtest.NewAnthropic(t, llmtest.Reply{Pieces: c.pieces})
			got, _, err := generate(t.Context(), open(t, server, nil))
			if err != nil || strings.Join(got, "|") != strings.Join(c.want, "|") {
				t.Errorf("got %q and %v", got, err)
			}
		})
	}
}

func TestConnections(t *testing.T) {
	t.Run("one connection carries one answer after the other", func(t *testing.T) {
		server := llmtest.NewAnthropic(t, llmtest.Reply{Pieces: []string{"Yes."}})
		dials := 0
		model := open(t, server, func(c *Config) {
			c.HTTPClient = NewHTTPClient()
			countDials(c.HTTPClient.Transport.(*http.Transport), &dials)
		})
		for range 5 {
			if _, _, err := generate(t.Context(), model); err != nil {
				t.Fatalf("Generate: %v", err)
			}
		}
		if dials != 1 {
			t.Errorf("%d connections were made, want 1", dials)
		}
	})
	t.Run("a redirect is not followed, whatever the client would do", func(t *testing.T) {
		other := llmtest.NewAnthropic(t, llmtest.Reply{Pieces: []string{"Yes."}})
		model := open(t, other, func(c *Config) {
			c.BaseURL = redirecting(t, other.BaseURL())
			c.HTTPClient = &http.Client{}
		})
		_, _, err := generate(t.Context(), model)
		wantUpstream(t, err, notAnswered)
		if other.Arrived() != 0 {
			t.Error("the key was taken to another server")
		}
	})
}

func TestNew(t *testing.T) {
	t.Run("a configuration without a model or a usable address is refused", func(t *testing.T) {
		for _, config := range []Config{
			{BaseURL: "http://localhost"},
			{Model: "m", BaseURL: "localhost:8080"},
			{Model: "m", BaseURL: "ftp://localhost"},
		} {
			if _, err := New(config); err == nil {
				t.Errorf("New(%+v) succeeded", config)
			}
		}
	})
	t.Run("what is left out gets a default", func(t *testing.T) {
		model, err := New(Config{Model: "claude-haiku-4-5", FirstTokenTimeout: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		got := model.config
		if got.BaseURL != "https://api.anthropic.com" || got.Retries != 2 || got.MaxTokens != 4096 || got.FirstTokenTimeout != 2*time.Minute {
			t.Errorf("config = %+v", got)
		}
		if want := (chat.Traits{Language: true, Context: 150_000}); model.Traits() != want {
			t.Errorf("Traits = %+v, want %+v", model.Traits(), want)
		}
	})
	t.Run("an address may end with a slash and a version", func(t *testing.T) {
		for _, end := range []string{"", "/", "/v1", "/v1/"} {
			server := llmtest.NewAnthropic(t, llmtest.Reply{Pieces: []string{"Yes."}})
			model := open(t, server, func(c *Config) { c.BaseURL += end })
			if _, _, err := generate(t.Context(), model); err != nil {
				t.Errorf("%q: %v", end, err)
			}
		}
	})
}

func wantUpstream(t *testing.T, err error, message string) *fault.Error {
	t.Helper()
	if !fault.Is(err, fault.Upstream) {
		t.Fatalf("err = %v, want a fault of kind Upstream", err)
	}
	found := fault.As(err)
	if found.Message != message {
		t.Errorf("message = %q, want %q", found.Message, message)
	}
	for _, form := range []string{err.Error(), fmt.Sprintf("%+v %#v", found.Cause, found.Cause)} {
		for _, secret := range []string{testKey, testPrompt, "passages only"} {
			if strings.Contains(form, secret) {
				t.Errorf("the error shows %q: %s", secret, form)
			}
		}
	}
	return found
}
