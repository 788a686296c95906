package openai

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/answer/prompt"
	"parley/core/retrieval"
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
)

// open returns a model on the server with limits for slow machines.
func open(t testing.TB, server *llmtest.Server, change func(*Config)) *Model {
	t.Helper()
	config := Config{
		BaseURL: server.BaseURL(), APIKey: testKey, Model: "test-model",
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

func generate(ctx context.Context, model answer.Model) ([]string, answer.Usage, error) {
	pieces, generated, err := upstreamtest.Generate(ctx, model, llmtest.Prompt())
	return pieces, generated.Usage, err
}

// adapter presents this package to the suite.
var adapter = upstreamtest.Adapter{
	Serve: llmtest.NewServer,
	Open: func(t testing.TB, config upstreamtest.Config) answer.Model {
		return openWith(t, Config{
			BaseURL: config.BaseURL, APIKey: testKey, Model: "test-model", HTTPClient: config.HTTPClient,
			Timeout: config.Limits.Timeout, FirstTokenTimeout: config.Limits.FirstToken,
			Retries: config.Limits.Retries, MaxRetryDelay: config.Limits.MaxRetryDelay,
		})
	},
	Echo: echo,
	Text: `{"choices":[{"delta":{"content":"a"}}]}`,
	End:  `{"choices":[{"delta":{},"finish_reason":"stop"}]}`,
}

func TestUpstream(t *testing.T) { upstreamtest.Run(t, adapter) }

func TestModel(t *testing.T) {
	llmtest.Run(t, func(t *testing.T) answer.Model {
		return open(t, llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Press ", "the ", "button."}}), nil)
	})
}

func TestAnswer(t *testing.T) {
	pieces := []string{"Drück ", "den ", "Knopf 👍", " \"10\"\n", "Sekunden."}
	for name, reply := range map[string]llmtest.Reply{
		"an answer arrives piece by piece, as the server sends it":    {},
		"lines may end with a carriage return":                        {LineBreak: "\r\n"},
		"the network may split the stream anywhere":                   {ByteByByte: true},
		"an answer with a finish_reason needs no [DONE]":              {OmitDone: true, OmitUsage: true},
		"an answer with [DONE] needs no finish_reason":                {OmitFinish: true},
		"reasoning is not part of the answer":                         {Reasoning: []string{"hm", "so"}},
		"an answer that reached its length limit counts":              {Finish: "length"},
		"a complete answer stays complete when the connection breaks": {OmitDone: true, OmitUsage: true, CutAtEnd: true},
	} {
		t.Run(name, func(t *testing.T) {
			reply.Pieces = pieces
			got, _, err := generate(t.Context(), open(t, llmtest.NewServer(t, reply), nil))
			if err != nil || strings.Join(got, "|") != strings.Join(pieces, "|") {
				t.Errorf("got %q and %v, want %q", got, err, pieces)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	t.Run("the usage is the server's", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{
			Pieces: []string{"Yes."}, Usage: &llmtest.Usage{PromptTokens: 700, CompletionTokens: 3},
		})
		_, usage, err := generate(t.Context(), open(t, server, nil))
		if want := (answer.Usage{PromptTokens: 700, CompletionTokens: 3}); err != nil || usage != want {
			t.Errorf("got %+v and %v, want %+v", usage, err, want)
		}
	})
	for name, reply := range map[string]llmtest.Reply{
		"usage is estimated if the server reports none": {OmitUsage: true},
		"a negative usage is ignored":                   {Usage: &llmtest.Usage{PromptTokens: -5, CompletionTokens: 3}},
		"an impossibly large usage is ignored":          {Usage: &llmtest.Usage{PromptTokens: 1, CompletionTokens: 1 << 40}},
	} {
		t.Run(name, func(t *testing.T) {
			reply.Pieces = []string{"hello", " world"}
			_, usage, err := generate(t.Context(), open(t, llmtest.NewServer(t, reply), nil))
			if err != nil || !usage.Estimated || usage.CompletionTokens != 2 || usage.PromptTokens < 15 {
				t.Errorf("got %+v and %v", usage, err)
			}
		})
	}
	t.Run("a prompt that nobody asks with again shrinks with the first text, and is counted as before", func(t *testing.T) {
		passage := strings.Repeat("Hold the button for ten seconds. ", 40)
		counted := func(once bool) answer.Usage {
			asked := prompt.Prompt{Once: once, Passages: make([]retrieval.Result, 1)}
			asked.Passages[0].Text = passage
			asked.Messages = []prompt.Message{{Role: prompt.UserRole, Text: "Passages:\n" + passage + "\nQuestion:\nHow?"}}
			server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"hello", " world"}, OmitUsage: true})
			generated, err := open(t, server, nil).Generate(t.Context(), asked, func(string) error {
				if !strings.Contains(asked.Messages[0].Text, passage) && !once {
					t.Error("the prompt shrank")
				}
				return nil
			})
			if err != nil || !strings.Contains(string(server.Request(0).Body()), passage) {
				t.Errorf("err = %v, and the server got %s", err, server.Request(0).Body())
			}
			if strings.Contains(asked.Messages[0].Text, passage) == once {
				t.Errorf("once is %v, and the message is %q", once, asked.Messages[0].Text)
			}
			return generated.Usage
		}
		kept, shrunk := counted(false), counted(true)
		if off := kept.PromptTokens - shrunk.PromptTokens; off < -4 || off > 4 || kept.PromptTokens < 200 {
			t.Errorf("kept it counts %+v, and shrunk %+v", kept, shrunk)
		}
	})
	t.Run("an answer that breaks off has the usage of what was emitted", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"hello", " world"}, OmitUsage: true, OmitFinish: true, OmitDone: true})
		_, usage, err := generate(t.Context(), open(t, server, nil))
		if err == nil || !usage.Estimated || usage.CompletionTokens != 2 {
			t.Errorf("got %+v and %v", usage, err)
		}
	})
	t.Run("an empty answer has the usage that the server reports", func(t *testing.T) {
		_, usage, err := generate(t.Context(), open(t, llmtest.NewServer(t, llmtest.Reply{}), nil))
		upstreamtest.WantFault(t, err, notAnswered)
		if want := (answer.Usage{PromptTokens: 21, CompletionTokens: 8}); usage != want {
			t.Errorf("usage = %+v, want %+v", usage, want)
		}
	})
	t.Run("reasoning without an answer is counted", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{Reasoning: []string{"hello", " world"}, OmitUsage: true, OmitFinish: true, OmitDone: true})
		_, usage, err := generate(t.Context(), open(t, server, nil))
		upstreamtest.WantFault(t, err, notAnswered)
		if !usage.Estimated || usage.CompletionTokens != 2 {
			t.Errorf("usage = %+v", usage)
		}
	})
}

func TestRequest(t *testing.T) {
	t.Run("the request holds the prompt, the model, the key and asks for usage", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
		temperature, asked := 0.2, llmtest.Prompt()
		asked.MaxTokens, asked.Temperature = 99, &temperature
		if _, _, err := upstreamtest.Generate(t.Context(), open(t, server, nil), asked); err != nil {
			t.Fatalf("Generate: %v", err)
		}
		want := `{"model":"test-model","messages":[{"role":"system","content":"You answer from the passages only."},` +
			`{"role":"user","content":"How do I reset the router?"}],"stream":true,"stream_options":{"include_usage":true},` +
			`"max_tokens":99,"temperature":0.2}`
		if got := string(server.Request(0).Body()); got != want {
			t.Errorf("body = %s\nwant   %s", got, want)
		}
		if got := server.Request(0).Header().Get("Authorization"); got != "Bearer "+testKey {
			t.Errorf("Authorization = %q", got)
		}
	})
	t.Run("nothing is taken from the environment", func(t *testing.T) {
		t.Setenv("OPENAI_API_KEY", "sk-of-someone-else")
		t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
		t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Leak: 1")
		server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
		if _, _, err := generate(t.Context(), open(t, server, func(c *Config) { c.APIKey = "" })); err != nil {
			t.Fatalf("Generate: %v", err)
		}
		header := server.Request(0).Header()
		if header.Get("Authorization") != "" || header.Get("X-Leak") != "" {
			t.Errorf("header = %v", header)
		}
	})
	t.Run("OpenAI's own server gets max_completion_tokens", func(t *testing.T) {
		model, err := New(Config{BaseURL: "https://api.openai.com/v1", Model: "o3"})
		if err != nil {
			t.Fatal(err)
		}
		asked := llmtest.Prompt()
		asked.MaxTokens = 7
		body, err := model.request(&asked, 0)
		var sent map[string]json.RawMessage
		if err := errors.Join(err, json.Unmarshal(body, &sent)); err != nil {
			t.Fatal(err)
		}
		if string(sent["max_completion_tokens"]) != "7" || sent["max_tokens"] != nil {
			t.Errorf("body = %s", body)
		}
	})
	t.Run("a configuration without a model or a usable address is refused", func(t *testing.T) {
		for _, config := range []Config{
			{BaseURL: "http://localhost/v1"},
			{Model: "m"},
			{Model: "m", BaseURL: "localhost:8080/v1"},
			{Model: "m", BaseURL: "ftp://localhost/v1"},
		} {
			if _, err := New(config); err == nil {
				t.Errorf("New(%+v) succeeded", config)
			}
		}
	})
}
