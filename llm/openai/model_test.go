package openai

import (
	"context"
	"encoding/json"
	"errors"
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
	testKey    = "sk-test-5ecret"
	testPrompt = "How do I reset the router?"
)

// open returns a model on the server, patient enough for any machine.
func open(t *testing.T, server *llmtest.Server, change func(*Config)) *Model {
	t.Helper()
	config := Config{
		BaseURL: server.BaseURL(), APIKey: testKey, Model: "test-model",
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

func generate(ctx context.Context, model chat.Model) ([]string, chat.Usage, error) {
	var pieces []string
	generated, err := model.Generate(ctx, llmtest.Prompt(), func(text string) error {
		pieces = append(pieces, text)
		return nil
	})
	return pieces, generated.Usage, err
}

func TestModel(t *testing.T) {
	llmtest.Run(t, func(t *testing.T) chat.Model {
		return open(t, llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Press ", "the ", "button."}}), nil)
	})
}

func TestAnswer(t *testing.T) {
	pieces := []string{"Drück ", "den ", "Knopf 👍", " \"10\"\n", "Sekunden."}
	for name, reply := range map[string]llmtest.Reply{
		"an answer comes piece by piece, as the server sends it":       {},
		"lines may end with a carriage return":                         {LineBreak: "\r\n"},
		"the network may split the stream anywhere":                    {ByteByByte: true},
		"an answer with a finish_reason needs no [DONE]":               {OmitDone: true, OmitUsage: true},
		"an answer with [DONE] needs no finish_reason":                 {OmitFinish: true},
		"reasoning is not part of the answer":                          {Reasoning: []string{"hm", "so"}},
		"an answer that ended for its length is an answer":             {Finish: "length"},
		"an answer that is complete stays so when the connection cuts": {OmitDone: true, OmitUsage: true, CutAtEnd: true},
	} {
		t.Run(name, func(t *testing.T) {
			reply.Pieces = pieces
			got, _, err := generate(t.Context(), open(t, llmtest.NewServer(t, reply), nil))
			if err != nil || strings.Join(got, "|") != strings.Join(pieces, "|") {
				t.Errorf("got %q and %v, want %q", got, err, pieces)
			}
		})
	}
	t.Run("a character split over two chunks is emitted whole", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"a\xf0\x9f", "\x91", "\x8d", "b"}})
		got, _, err := generate(t.Context(), open(t, server, nil))
		if err != nil || strings.Join(got, "|") != "a|👍|b" {
			t.Errorf("got %q and %v", got, err)
		}
	})
	t.Run("bytes that are no characters become the replacement character", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"a\xffb", "\xe4\xbd"}})
		got, _, err := generate(t.Context(), open(t, server, nil))
		if err != nil || strings.Join(got, "|") != "a\ufffdb|\ufffd" {
			t.Errorf("got %q and %v", got, err)
		}
	})
	t.Run("a chunk larger than the buffers is read", func(t *testing.T) {
		long := strings.Repeat("word ", 10_000)
		server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{long, "end"}})
		got, _, err := generate(t.Context(), open(t, server, nil))
		if err != nil || strings.Join(got, "") != long+"end" {
			t.Errorf("got %d pieces and %v", len(got), err)
		}
	})
}

func TestUsage(t *testing.T) {
	t.Run("the usage is the server's", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{
			Pieces: []string{"Yes."}, Usage: &llmtest.Usage{PromptTokens: 700, CompletionTokens: 3},
		})
		_, usage, err := generate(t.Context(), open(t, server, nil))
		if want := (chat.Usage{PromptTokens: 700, CompletionTokens: 3}); err != nil || usage != want {
			t.Errorf("got %+v and %v, want %+v", usage, err, want)
		}
	})
	for name, reply := range map[string]llmtest.Reply{
		"a server that reports no usage has it estimated": {OmitUsage: true},
		"a usage below zero is not believed":              {Usage: &llmtest.Usage{PromptTokens: -5, CompletionTokens: 3}},
		"a usage beyond all models is not believed":       {Usage: &llmtest.Usage{PromptTokens: 1, CompletionTokens: 1 << 40}},
	} {
		t.Run(name, func(t *testing.T) {
			reply.Pieces = []string{"hello", " world"}
			_, usage, err := generate(t.Context(), open(t, llmtest.NewServer(t, reply), nil))
			if err != nil || !usage.Estimated || usage.CompletionTokens != 2 || usage.PromptTokens < 15 {
				t.Errorf("got %+v and %v", usage, err)
			}
		})
	}
	t.Run("an answer that breaks off has the usage of what was emitted", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"hello", " world"}, OmitUsage: true, OmitFinish: true, OmitDone: true})
		_, usage, err := generate(t.Context(), open(t, server, nil))
		if err == nil || !usage.Estimated || usage.CompletionTokens != 2 {
			t.Errorf("got %+v and %v", usage, err)
		}
	})
}

func TestRequest(t *testing.T) {
	t.Run("the request holds the prompt, the model, the key and asks for usage", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
		temperature := 0.2
		model := open(t, server, func(c *Config) { c.MaxTokens, c.Temperature = 99, &temperature })
		if _, _, err := generate(t.Context(), model); err != nil {
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
	t.Run("OpenAI's own server gets the name it knows for the limit", func(t *testing.T) {
		model, err := New(Config{BaseURL: "https://api.openai.com/v1", Model: "o3", MaxTokens: 7})
		if err != nil {
			t.Fatal(err)
		}
		body, err := model.request(llmtest.Prompt())
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
	t.Run("one connection carries one answer after the other", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
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
