package anthropic

import (
	"reflect"
	"strings"
	"testing"

	"parley/core/answer/prompt"
	"parley/llm/llmtest"
	"parley/llm/upstream/upstreamtest"
)

var searchTool = prompt.Tool{Name: "search_knowledge", Description: "Finds passages.", Parameters: `{"type":"object","properties":{"query":{"type":"string"}}}`}

func withTools() prompt.Prompt {
	asked := llmtest.Prompt()
	asked.Tools = []prompt.Tool{searchTool}
	return asked
}

func TestCalls(t *testing.T) {
	scripted := []llmtest.ToolCall{
		{ID: "toolu_1", Name: "search_knowledge", Arguments: `{"query":"reset \"Gerät\""}`},
		{ID: "toolu_2", Name: "search_knowledge", Arguments: `{"query":"light"}`},
	}
	want := []prompt.Call{
		{ID: "toolu_1", Name: "search_knowledge", Arguments: `{"query":"reset \"Gerät\""}`},
		{ID: "toolu_2", Name: "search_knowledge", Arguments: `{"query":"light"}`},
	}
	for name, reply := range map[string]llmtest.Reply{
		"calls come with their arguments":               {},
		"arguments may be split anywhere":               {CallBytes: 1},
		"text may come before them":                     {Pieces: []string{"Let me ", "look."}, CallBytes: 3},
		"thinking may come before them":                 {Reasoning: []string{"hm"}},
		"they count whatever the stop_reason":           {Finish: "end_turn"},
		"they need no message_stop after a stop_reason": {OmitDone: true},
	} {
		for how, whole := range map[string]bool{"": false, ", in a whole answer": true} {
			t.Run(name+how, func(t *testing.T) {
				reply.ToolCalls = scripted
				asked := withTools()
				asked.Whole = whole
				pieces, generated, err := upstreamtest.Generate(t.Context(), open(t, llmtest.NewAnthropic(t, reply), nil), asked)
				if err != nil || !reflect.DeepEqual(generated.Calls, want) || strings.Join(pieces, "") != strings.Join(reply.Pieces, "") {
					t.Errorf("got %q, %+v and %v", pieces, generated.Calls, err)
				}
			})
		}
	}
	t.Run("a call without arguments gets an empty object, one without an id gets an id, and one without a name is dropped", func(t *testing.T) {
		server := llmtest.NewAnthropic(t, llmtest.Reply{ToolCalls: []llmtest.ToolCall{{ID: "toolu_1", Name: "f"}, {Name: "g"}, {ID: "toolu_3"}}})
		_, generated, err := upstreamtest.Generate(t.Context(), open(t, server, nil), withTools())
		want := []prompt.Call{{ID: "toolu_1", Name: "f", Arguments: "{}"}, {ID: "call_2_2", Name: "g", Arguments: "{}"}}
		if err != nil || !reflect.DeepEqual(generated.Calls, want) {
			t.Errorf("got %+v and %v", generated.Calls, err)
		}
	})
	t.Run("arguments that come with the block's beginning count", func(t *testing.T) {
		server := llmtest.NewAnthropic(t, llmtest.Reply{Raw: []string{
			`{"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"a","name":"f","input":{"query":"x"}}}`,
		}})
		_, generated, err := upstreamtest.Generate(t.Context(), open(t, server, nil), withTools())
		if err != nil || len(generated.Calls) != 1 || generated.Calls[0].Arguments != `{"query":"x"}` {
			t.Errorf("got %+v and %v", generated.Calls, err)
		}
	})
	t.Run("calls in an answer that was cut for its length are dropped", func(t *testing.T) {
		server := llmtest.NewAnthropic(t, llmtest.Reply{Pieces: []string{"Let me look."}, ToolCalls: scripted, Finish: "max_tokens"})
		_, generated, err := upstreamtest.Generate(t.Context(), open(t, server, nil), withTools())
		if err != nil || len(generated.Calls) != 0 {
			t.Errorf("got %+v and %v", generated.Calls, err)
		}
	})
	t.Run("calls that the prompt did not offer are ignored, alone and next to text", func(t *testing.T) {
		server := llmtest.NewAnthropic(t, llmtest.Reply{ToolCalls: scripted}, llmtest.Reply{Pieces: []string{"Yes."}, ToolCalls: scripted})
		model := open(t, server, nil)
		_, _, err := generate(t.Context(), model)
		upstreamtest.WantFault(t, err, notAnswered)
		if _, generated, err := generate(t.Context(), model); err != nil || len(generated.Calls) != 0 {
			t.Errorf("got %+v and %v", generated.Calls, err)
		}
	})
	t.Run("too many or too long calls are a failure", func(t *testing.T) {
		many := make([]llmtest.ToolCall, maxCalls+1)
		long := []llmtest.ToolCall{{ID: "a", Name: "f", Arguments: `{"query":"` + strings.Repeat("x", maxCallBytes) + `"}`}}
		for _, calls := range [][]llmtest.ToolCall{many, long} {
			for _, whole := range []bool{false, true} {
				server := llmtest.NewAnthropic(t, llmtest.Reply{ToolCalls: calls, CallBytes: 1000})
				asked := withTools()
				asked.Whole = whole
				_, generated, err := upstreamtest.Generate(t.Context(), open(t, server, nil), asked)
				upstreamtest.WantFault(t, err, notAnswered)
				if len(generated.Calls) != 0 {
					t.Errorf("got %d calls", len(generated.Calls))
				}
			}
		}
	})
}

func TestOffer(t *testing.T) {
	t.Run("tools are offered with their schema", func(t *testing.T) {
		want := `"tools":[{"name":"search_knowledge","description":"Finds passages.","input_schema":` + searchTool.Parameters + `}],"stream":true}`
		if got := sent(t, "m", withTools()); !strings.HasSuffix(got, want) {
			t.Errorf("body = %s", got)
		}
	})
	t.Run("a model that cannot call tools is offered no tools", func(t *testing.T) {
		server := llmtest.NewAnthropic(t, llmtest.Reply{Pieces: []string{"Yes."}})
		model := open(t, server, func(c *Config) { c.Tools = false })
		if _, _, err := upstreamtest.Generate(t.Context(), model, withTools()); err != nil {
			t.Fatal(err)
		}
		if body := string(server.Request(0).Body()); strings.Contains(body, "tools") {
			t.Errorf("body = %s", body)
		}
	})
	t.Run("when no tool is offered, the tools of the prompt's calls are named and forbidden", func(t *testing.T) {
		call := prompt.Call{ID: "a", Name: "search_knowledge", Arguments: "{}"}
		got := sent(t, "m", prompt.Prompt{Messages: []prompt.Message{{Role: prompt.AssistantRole, Calls: []prompt.Call{call, call}}}})
		want := `"tools":[{"name":"search_knowledge","input_schema":{"type":"object"}}],"tool_choice":{"type":"none"},"stream":true}`
		if !strings.HasSuffix(got, want) {
			t.Errorf("body = %s", got)
		}
	})
	t.Run("a tool whose parameters are not JSON is our own error", func(t *testing.T) {
		asked := llmtest.Prompt()
		asked.Tools = []prompt.Tool{{Name: "f", Parameters: "{"}}
		server := llmtest.NewAnthropic(t)
		if _, _, err := upstreamtest.Generate(t.Context(), open(t, server, nil), asked); err == nil || server.Arrived() != 0 {
			t.Errorf("err = %v after %d requests", err, server.Arrived())
		}
	})
}
