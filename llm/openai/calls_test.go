package openai

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"parley/core/answer"
	"parley/core/answer/prompt"
	"parley/llm/llmtest"
	"parley/llm/upstream/upstreamtest"
)

var searchTool = prompt.Tool{
	Name: "search", Description: "Finds passages.",
	Parameters: `{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`,
}

func toolPrompt() prompt.Prompt {
	asked := llmtest.Prompt()
	asked.Tools = []prompt.Tool{searchTool}
	return asked
}

// ask returns what a model with tools says and calls.
func ask(t *testing.T, server *llmtest.Server, asked prompt.Prompt) (string, answer.Generated, error) {
	t.Helper()
	var text strings.Builder
	generated, err := open(t, server, func(c *Config) { c.Tools = true }).Generate(t.Context(), asked, func(piece string) error {
		text.WriteString(piece)
		return nil
	})
	return text.String(), generated, err
}

var twoCalls = []llmtest.ToolCall{
	{ID: "call_a", Name: "search", Arguments: `{"query":"Gerät zurücksetzen 👍"}`},
	{ID: "call_b", Name: "search", Arguments: `{"query":"warranty"}`},
}

var wantTwoCalls = []prompt.Call{
	{ID: "call_a", Name: "search", Arguments: twoCalls[0].Arguments},
	{ID: "call_b", Name: "search", Arguments: twoCalls[1].Arguments},
}

func TestCalls(t *testing.T) {
	for name, reply := range map[string]llmtest.Reply{
		"arrive whole":                              {},
		"arrive byte by byte, alternating":          {CallBytes: 1},
		"arrive in pieces that split characters":    {CallBytes: 7},
		"arrive in lines that end with CRLF":        {CallBytes: 5, LineBreak: "\r\n"},
		"may come after text":                       {Pieces: []string{"I look it up."}},
		"may end with another finish_reason":        {Finish: "stop"},
		"may end with [DONE] alone":                 {OmitFinish: true},
		"stay when the connection breaks afterward": {OmitDone: true, CutAtEnd: true},
	} {
		t.Run("calls "+name, func(t *testing.T) {
			reply.ToolCalls = twoCalls
			text, generated, err := ask(t, llmtest.NewServer(t, reply), toolPrompt())
			if err != nil || !slices.Equal(generated.Calls, wantTwoCalls) || text != strings.Join(reply.Pieces, "") {
				t.Errorf("got %q, %+v and %v", text, generated.Calls, err)
			}
		})
	}
	t.Run("calls of an answer that is not streamed are the same", func(t *testing.T) {
		asked := toolPrompt()
		asked.Whole = true
		text, generated, err := ask(t, llmtest.NewServer(t, llmtest.Reply{ToolCalls: twoCalls}), asked)
		if err != nil || !slices.Equal(generated.Calls, wantTwoCalls) || text != "" {
			t.Errorf("got %q, %+v and %v", text, generated.Calls, err)
		}
	})
	t.Run("calls in an answer that breaks off are not returned, but counted", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{ToolCalls: twoCalls, CallBytes: 3, OmitUsage: true, OmitFinish: true, OmitDone: true})
		_, generated, err := ask(t, server, toolPrompt())
		upstreamtest.WantFault(t, err, notAnswered)
		if generated.Calls != nil || generated.Usage.CompletionTokens < 10 || !generated.Usage.Estimated {
			t.Errorf("got %+v", generated)
		}
	})
	t.Run("a prompt that offers no tools gets no calls", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}, ToolCalls: twoCalls})
		_, generated, err := ask(t, server, llmtest.Prompt())
		if err != nil || generated.Calls != nil {
			t.Errorf("got %+v and %v", generated, err)
		}
	})
	t.Run("a finish_reason of tool_calls without calls is an empty answer", func(t *testing.T) {
		_, _, err := ask(t, llmtest.NewServer(t, llmtest.Reply{Finish: "tool_calls"}), toolPrompt())
		upstreamtest.WantFault(t, err, notAnswered)
	})
	for name, calls := range map[string][]llmtest.ToolCall{
		"more than 16 calls":                  slices.Repeat(twoCalls, 9),
		"arguments of more than 64 KiB":       {{ID: "a", Name: "f", Arguments: strings.Repeat("x", maxCallBytes)}},
		"a name of more than 64 KiB":          {{ID: "a", Name: strings.Repeat("x", maxCallBytes)}},
		"many arguments of more than 64 KiB ": slices.Repeat([]llmtest.ToolCall{{ID: "a", Name: "f", Arguments: strings.Repeat("x", 9000)}}, 8),
	} {
		t.Run(name+" are a fault", func(t *testing.T) {
			_, generated, err := ask(t, llmtest.NewServer(t, llmtest.Reply{ToolCalls: calls}), toolPrompt())
			upstreamtest.WantFault(t, err, notAnswered)
			if generated.Calls != nil {
				t.Errorf("%d calls were returned", len(generated.Calls))
			}
		})
	}
}

// gathered returns the calls in pieces, each piece the tool_calls of one chunk.
func gathered(t interface{ Fatal(...any) }, whole bool, pieces ...string) []prompt.Call {
	var found calls
	for _, piece := range pieces {
		if err := found.add(gjson.Parse(piece), whole); err != nil {
			t.Fatal(err)
		}
	}
	return found.all(2)
}

func TestCallsOfOtherServers(t *testing.T) {
	want := []prompt.Call{{ID: "a", Name: "f", Arguments: `{"q":1}`}, {ID: "b", Name: "g", Arguments: `{}`}}
	for name, pieces := range map[string][]string{
		"calls that all have index 0 are distinguished by their ids": {
			`[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"q\":1}"}}]`, `[{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}]`,
		},
		"calls without an index are distinguished by their ids": {
			`[{"id":"a","function":{"name":"f","arguments":"{\"q\""}}]`, `[{"function":{"arguments":":1}"}}]`, `[{"id":"b","function":{"name":"g","arguments":"{}"}}]`,
		},
		"a repeated id continues its call": {
			`[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"q\""}}]`, `[{"index":0,"id":"a","function":{"name":"f","arguments":":1}"}}]`,
			`[{"index":1,"id":"b","function":{"name":"g","arguments":"{}"}}]`,
		},
		"arguments may be an object":                   {`[{"index":0,"id":"a","function":{"name":"f","arguments":{"q":1}}},{"index":1,"id":"b","function":{"name":"g","arguments":{}}}]`},
		"an id may come after the name":                {`[{"index":7,"function":{"name":"f","arguments":"{\"q\":1}"}}]`, `[{"index":7,"id":"a"}]`, `[{"index":9,"id":"b","function":{"name":"g","arguments":"{}"}}]`},
		"anything but a call of a function is ignored": {`[null,1,"x",{"index":5}]`, `[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"q\":1}"}}]`, `[{"index":1,"id":"b","function":{"name":"g","arguments":"{}"}}]`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := gathered(t, false, pieces...); !slices.Equal(got, want) {
				t.Errorf("got %+v", got)
			}
		})
	}
	t.Run("calls without index and id get ids of their own", func(t *testing.T) {
		const both = `[{"function":{"name":"f","arguments":"{}"}},{"function":{"name":"f","arguments":"{}"}}]`
		for _, whole := range []bool{false, true} {
			got := gathered(t, whole, both)
			if len(got) != 2 || got[0].ID != "call_2_1" || got[1].ID != "call_2_2" {
				t.Errorf("got %+v", got)
			}
		}
	})
	t.Run("calls that are split and mixed in any way are reassembled", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			texts := rapid.SliceOfN(rapid.String(), 1, 5).Draw(t, "arguments")
			var want []prompt.Call
			var pieces []string
			rest := make([][]rune, len(texts))
			for i, text := range texts {
				id := fmt.Sprint("id", i)
				want = append(want, prompt.Call{ID: id, Name: "f", Arguments: text})
				pieces = append(pieces, fmt.Sprintf(`[{"index":%d,"id":%q,"function":{"name":"f"}}]`, i, id))
				rest[i] = []rune(text)
			}
			for slices.ContainsFunc(rest, func(r []rune) bool { return len(r) > 0 }) {
				i := rapid.IntRange(0, len(rest)-1).Draw(t, "which")
				n := rapid.IntRange(0, len(rest[i])).Draw(t, "length")
				quoted := gjson.AppendJSONString(nil, string(rest[i][:n]))
				pieces = append(pieces, fmt.Sprintf(`[{"index":%d,"function":{"arguments":%s}}]`, i, quoted))
				rest[i] = rest[i][n:]
			}
			if got := gathered(t, false, pieces...); !slices.Equal(got, want) {
				t.Fatalf("got %+v, want %+v", got, want)
			}
		})
	})
}
