package anthropic

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/core/answer"
	"parley/llm/llmtest"
	"parley/llm/upstream/upstreamtest"
)

const (
	testKey    = upstreamtest.Key
	testPrompt = upstreamtest.Question
)

// The messages for callers.
const (
	notAnswered = upstreamtest.NotAnswered
	brokeOff    = upstreamtest.BrokeOff
	tooBusy     = upstreamtest.TooBusy
	declined    = "The language model declined to answer this. Ask in a different way."
)

// open returns a model on the server with limits for slow machines.
func open(t testing.TB, server *llmtest.Anthropic, change func(*Config)) *Model {
	t.Helper()
	config := Config{
		BaseURL: server.BaseURL(), APIKey: testKey, Model: "test-model", Tools: true,
		MaxRetryDelay: time.Millisecond, Timeout: time.Minute, FirstTokenTimeout: time.Minute,
	}
	if change != nil {
		change(&config)
	}
	return openWith(t, config)
}

func openWith(t testing.TB, config Config) *Model {
	t.Helper()
	model, err := New(config)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	t.Cleanup(model.config.HTTPClient.CloseIdleConnections)
	return model
}

func generate(ctx context.Context, model answer.Model) ([]string, answer.Generated, error) {
	return upstreamtest.Generate(ctx, model, llmtest.Prompt())
}

// adapter presents this package to the suite.
var adapter = upstreamtest.Adapter{
	Serve: func(t testing.TB, reply llmtest.Reply) *llmtest.Server { return llmtest.NewAnthropic(t, reply).Server },
	Open: func(t testing.TB, config upstreamtest.Config) answer.Model {
		return openWith(t, Config{
			BaseURL: config.BaseURL, APIKey: testKey, Model: "test-model", HTTPClient: config.HTTPClient,
			Timeout: config.Limits.Timeout, FirstTokenTimeout: config.Limits.FirstToken,
			Retries: config.Limits.Retries, MaxRetryDelay: config.Limits.MaxRetryDelay,
		})
	},
	Echo: echo,
	Text: `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}`,
	End:  `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`,
}

func TestUpstream(t *testing.T) { upstreamtest.Run(t, adapter) }

func TestModel(t *testing.T) {
	llmtest.Run(t, func(t *testing.T) answer.Model {
		return open(t, llmtest.NewAnthropic(t, llmtest.Reply{Pieces: []string{"Press ", "the ", "button."}}), nil)
	})
}

func TestAnswer(t *testing.T) {
	pieces := []string{"Drück ", "den ", "Knopf 👍", " \"10\"\n", "Sekunden."}
	for name, reply := range map[string]llmtest.Reply{
		"an answer arrives piece by piece, as the server sends it":    {},
		"lines may end with a carriage return":                        {LineBreak: "\r\n"},
		"the network may split the stream anywhere":                   {ByteByByte: true},
		"an answer with a stop_reason needs no message_stop":          {OmitDone: true},
		"an answer with a message_stop needs no stop_reason":          {OmitFinish: true},
		"thinking is not part of the answer":                          {Reasoning: []string{"hm", "so"}},
		"an answer that reached its length limit counts":              {Finish: "max_tokens"},
		"an answer that filled the context counts":                    {Finish: "model_context_window_exceeded"},
		"an answer that ended for an unknown reason counts":           {Finish: "enough"},
		"a complete answer stays complete when the connection breaks": {OmitDone: true, CutAtEnd: true},
		"unknown events are ignored":                                  {Raw: []string{`{"type":"ping"}`, `{"type":"news","delta":{"text":"x"}}`}},
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
	t.Run("an empty piece is not emitted", func(t *testing.T) {
		got, _, err := generate(t.Context(), open(t, llmtest.NewAnthropic(t, llmtest.Reply{Pieces: []string{"", "a", ""}}), nil))
		if err != nil || strings.Join(got, "|") != "a" {
			t.Errorf("got %q and %v", got, err)
		}
	})
}

func TestConnections(t *testing.T) {
	t.Run("a redirect is not followed, whatever the client's policy", func(t *testing.T) {
		other := llmtest.NewAnthropic(t, llmtest.Reply{Pieces: []string{"Yes."}})
		model := open(t, other, func(c *Config) {
			c.BaseURL = redirecting(t, other.BaseURL())
			c.HTTPClient = &http.Client{}
		})
		_, _, err := generate(t.Context(), model)
		upstreamtest.WantFault(t, err, notAnswered)
		if other.Arrived() != 0 {
			t.Error("the key was sent to another server")
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
	t.Run("missing settings get defaults", func(t *testing.T) {
		model, err := New(Config{Model: "claude-haiku-4-5", FirstTokenTimeout: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		got := model.config
		if got.BaseURL != "https://api.anthropic.com" || got.limits.Retries != 2 || got.limits.FirstToken != 2*time.Minute {
			t.Errorf("config = %+v", got)
		}
		if want := (answer.Traits{Language: true, Context: 150_000}); model.Traits() != want {
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
