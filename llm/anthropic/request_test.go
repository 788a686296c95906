package anthropic

import (
	"encoding/json"
	"testing"

	"parley/core/answer/prompt"
	"parley/llm/llmtest"
	"parley/llm/upstream/upstreamtest"
)

// sent returns the body that a prompt becomes.
func sent(t *testing.T, model string, asked prompt.Prompt) string {
	t.Helper()
	m, err := New(Config{Model: model, Tools: true})
	if err != nil {
		t.Fatal(err)
	}
	body, err := m.request(asked)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestRequest(t *testing.T) {
	t.Run("the request holds the prompt, the model, the key and the version of the API", func(t *testing.T) {
		server := llmtest.NewAnthropic(t, llmtest.Reply{Pieces: []string{"Yes."}})
		temperature, asked := 0.2, llmtest.Prompt()
		asked.MaxTokens, asked.Temperature = 99, &temperature
		if _, _, err := upstreamtest.Generate(t.Context(), open(t, server, nil), asked); err != nil {
			t.Fatalf("Generate: %v", err)
		}
		want := `{"model":"test-model","max_tokens":99,"system":"You answer from the passages only.","messages":[{"role":"user",` +
			`"content":[{"type":"text","text":"How do I reset the router?"}]}],"temperature":0.2,"stream":true}`
		if got := string(server.Request(0).Body()); got != want {
			t.Errorf("body = %s\nwant   %s", got, want)
		}
		header := server.Request(0).Header()
		for name, want := range map[string]string{
			"X-Api-Key": testKey, "Authorization": "", "Anthropic-Version": "2023-06-01",
			"Content-Type": "application/json", "Accept": "text/event-stream",
		} {
			if header.Get(name) != want {
				t.Errorf("%s = %q, want %q", name, header.Get(name), want)
			}
		}
	})
	t.Run("nothing is taken from the environment", func(t *testing.T) {
		for name, value := range map[string]string{
			"ANTHROPIC_API_KEY": "sk-of-someone-else", "ANTHROPIC_AUTH_TOKEN": "token", "ANTHROPIC_BASE_URL": "http://127.0.0.1:1",
			"ANTHROPIC_CUSTOM_HEADERS": "X-Leak: 1", "ANTHROPIC_PROFILE": "none",
		} {
			t.Setenv(name, value)
		}
		server := llmtest.NewAnthropic(t, llmtest.Reply{Pieces: []string{"Yes."}})
		if _, _, err := generate(t.Context(), open(t, server, func(c *Config) { c.APIKey = "" })); err != nil {
			t.Fatalf("Generate: %v", err)
		}
		header := server.Request(0).Header()
		for _, name := range []string{"X-Api-Key", "Authorization", "X-Leak", "Traceparent"} {
			if header.Get(name) != "" {
				t.Errorf("%s = %q", name, header.Get(name))
			}
		}
	})
	t.Run("a temperature beyond the API's range is the highest", func(t *testing.T) {
		server := llmtest.NewAnthropic(t, llmtest.Reply{Pieces: []string{"Yes."}})
		hot, asked := 1.7, llmtest.Prompt()
		asked.Temperature = &hot
		if _, _, err := upstreamtest.Generate(t.Context(), open(t, server, nil), asked); err != nil {
			t.Fatal(err)
		}
		var got request
		if err := json.Unmarshal(server.Request(0).Body(), &got); err != nil {
			t.Fatal(err)
		}
		if got.MaxTokens != defaultMaxTokens || got.Temperature == nil || *got.Temperature != 1 {
			t.Errorf("body = %s", server.Request(0).Body())
		}
	})
	t.Run("only models that accept a temperature get one", func(t *testing.T) {
		warm := 0.5
		for model, takes := range map[string]bool{"claude-haiku-4-5": true, "claude-opus-4-7": false, "claude-sonnet-5-5": false, "other": true} {
			var got map[string]any
			if err := json.Unmarshal([]byte(sent(t, model, prompt.Prompt{Temperature: &warm})), &got); err != nil {
				t.Fatal(err)
			}
			if (got["temperature"] != nil) != takes {
				t.Errorf("%s: %v", model, got)
			}
		}
	})
	t.Run("a model that thinks unasked is told to think little, and gets room for it", func(t *testing.T) {
		want := `{"model":"claude-sonnet-5-5","max_tokens":2148,"messages":null,"output_config":{"effort":"low"},"stream":true}`
		if got := sent(t, "claude-sonnet-5-5", prompt.Prompt{MaxTokens: 100}); got != want {
			t.Errorf("body = %s\nwant   %s", got, want)
		}
	})
}

func TestVersions(t *testing.T) {
	for name, want := range map[string]version{
		"claude-haiku-4-5-20251001":             {4, 5},
		"claude-opus-4-20250514":                {4, 0},
		"claude-3-5-sonnet-latest":              {3, 5},
		"claude-3-opus-20240229":                {3, 0},
		"anthropic/claude-opus-4.7":             {4, 7},
		"anthropic.claude-opus-4-6-v1:0":        {4, 6},
		"claude-sonnet-4@20250514":              {4, 0},
		"claude-sonnet-5":                       {5, 0},
		"claude-mythos-preview":                 newest,
		"Claude-Fable-5-1":                      {5, 1},
		"claude-99999999999999999999-opus-4-11": {4, 11},
	} {
		if got, isClaude := claudeVersion(name); !isClaude || got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if got, isClaude := claudeVersion("gpt-4o"); isClaude {
		t.Errorf("gpt-4o is Claude %v", got)
	}
}
