package openai

import (
	"testing"

	"parley/core/answer"
	"parley/core/answer/prompt"
	"parley/llm/llmtest"
)

func bodyOf(t *testing.T, asked prompt.Prompt, change func(*Config)) string {
	t.Helper()
	server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
	if _, err := open(t, server, change).Generate(t.Context(), asked, func(string) error { return nil }); err != nil {
		t.Fatalf("Generate: %v", err)
	}
	return string(server.Request(0).Body())
}

func TestToolRequest(t *testing.T) {
	asked := prompt.Prompt{
		Tools: []prompt.Tool{searchTool},
		Messages: []prompt.Message{
			{Role: prompt.UserRole, Text: "How?"},
			{Role: prompt.AssistantRole, Calls: []prompt.Call{
				{ID: "a", Name: "search", Arguments: `{"query":"x"}`}, {ID: "b", Name: "search", Arguments: `{"query":`},
			}},
			{Role: prompt.ToolRole, CallID: "a", Text: "[1] So."},
			{Role: prompt.ToolRole, CallID: "b", Text: ""},
		},
	}
	const messages = `{"model":"test-model","messages":[{"role":"user","content":"How?"},{"role":"assistant","content":null,"tool_calls":[` +
		`{"id":"a","type":"function","function":{"name":"search","arguments":"{\"query\":\"x\"}"}},` +
		`{"id":"b","type":"function","function":{"name":"search","arguments":"{}"}}]},` +
		`{"role":"tool","content":"[1] So.","tool_call_id":"a"},{"role":"tool","content":"","tool_call_id":"b"}],`
	t.Run("tools, calls and their results are in OpenAI's format, and arguments that are not JSON are left out", func(t *testing.T) {
		want := messages + `"tools":[{"type":"function","function":{"name":"search","description":"Finds passages.","parameters":` +
			searchTool.Parameters + `}}],"stream":true,"stream_options":{"include_usage":true}}`
		if got := bodyOf(t, asked, func(c *Config) { c.Tools = true }); got != want {
			t.Errorf("body = %s\nwant   %s", got, want)
		}
	})
	t.Run("a model without tools is offered no tools", func(t *testing.T) {
		want := messages + `"stream":true,"stream_options":{"include_usage":true}}`
		if got := bodyOf(t, asked, nil); got != want {
			t.Errorf("body = %s\nwant   %s", got, want)
		}
	})
	t.Run("text that came before calls stays with them", func(t *testing.T) {
		asked := asked
		asked.Messages = []prompt.Message{{Role: prompt.AssistantRole, Text: "Wait.", Calls: asked.Messages[1].Calls[:1]}}
		want := `{"model":"test-model","messages":[{"role":"assistant","content":"Wait.","tool_calls":[` +
			`{"id":"a","type":"function","function":{"name":"search","arguments":"{\"query\":\"x\"}"}}]}],` +
			`"stream":true,"stream_options":{"include_usage":true}}`
		if got := bodyOf(t, asked, nil); got != want {
			t.Errorf("body = %s\nwant   %s", got, want)
		}
	})
}

func TestLimits(t *testing.T) {
	cold := 0.0
	for name, c := range map[string]struct {
		asked prompt.Prompt
		want  string
	}{
		"what a prompt does not limit is left to the server":  {prompt.Prompt{}, `}`},
		"a prompt's limits are sent, even a temperature of 0": {prompt.Prompt{MaxTokens: 7, Temperature: &cold}, `,"max_tokens":7,"temperature":0}`},
	} {
		t.Run(name, func(t *testing.T) {
			want := `{"model":"test-model","messages":[],"stream":true,"stream_options":{"include_usage":true}` + c.want
			if got := bodyOf(t, c.asked, nil); got != want {
				t.Errorf("body = %s\nwant   %s", got, want)
			}
		})
	}
}

func TestTraits(t *testing.T) {
	for name, c := range map[string]struct {
		config Config
		want   answer.Traits
	}{
		"a model known by name has its context":    {Config{Model: "gpt-4o-mini"}, answer.Traits{Language: true, Context: 128_000}},
		"an unknown model has the default context": {Config{Model: "acme-1"}, answer.Traits{Language: true, Context: 32_768}},
		"configured context and tools apply":       {Config{Model: "gpt-4o", Context: 9000, Tools: true}, answer.Traits{Language: true, Tools: true, Context: 9000}},
	} {
		t.Run(name, func(t *testing.T) {
			c.config.BaseURL = "http://localhost/v1"
			model, err := New(c.config)
			if err != nil || model.Traits() != c.want {
				t.Errorf("got %+v and %v, want %+v", model.Traits(), err, c.want)
			}
		})
	}
}
