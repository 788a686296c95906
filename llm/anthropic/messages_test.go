package anthropic

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/answer/prompt"
)

func TestConversation(t *testing.T) {
	say := func(role prompt.Role, text string) prompt.Message {
		return prompt.Message{Role: role, Text: text}
	}
	search := prompt.Call{ID: "toolu_1", Name: "search", Arguments: `{"query":"reset"}`}
	for name, c := range map[string]struct {
		asked  []prompt.Message
		system string
		want   string
	}{
		"instructions are separate, wherever they are": {
			[]prompt.Message{say(prompt.SystemRole, "Be brief."), say(prompt.UserRole, "Hi."), say(prompt.SystemRole, "Be kind.")},
			"Be brief.\n\nBe kind.", `[{"role":"user","content":[{"type":"text","text":"Hi."}]}]`,
		},
		"messages of one role in a row are one message": {
			[]prompt.Message{say(prompt.UserRole, "a"), say(prompt.UserRole, "b"), say(prompt.AssistantRole, "c"), say(prompt.AssistantRole, "d")},
			"", `[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},` +
				`{"role":"assistant","content":[{"type":"text","text":"c"},{"type":"text","text":"d"}]}]`,
		},
		"an answer never comes first": {
			[]prompt.Message{say(prompt.AssistantRole, "a"), say(prompt.UserRole, "b")},
			"", `[{"role":"user","content":[{"type":"text","text":"` + leftOut + `"}]},` +
				`{"role":"assistant","content":[{"type":"text","text":"a"}]},{"role":"user","content":[{"type":"text","text":"b"}]}]`,
		},
		"a blank message is left out": {
			[]prompt.Message{say(prompt.UserRole, "a"), say(prompt.AssistantRole, " \n"), say(prompt.UserRole, "b")},
			"", `[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]`,
		},
		"calls and their results are blocks, and the results come first": {
			[]prompt.Message{
				say(prompt.UserRole, "How?"),
				{Role: prompt.AssistantRole, Text: "Let me see.", Calls: []prompt.Call{search, {ID: "call:2", Name: "search", Arguments: "nonsense"}}},
				say(prompt.UserRole, "Quick!"),
				{Role: prompt.ToolRole, CallID: "toolu_1", Text: "Press."},
				{Role: prompt.ToolRole, CallID: "call:2"},
			},
			"", `[{"role":"user","content":[{"type":"text","text":"How?"}]},` +
				`{"role":"assistant","content":[{"type":"text","text":"Let me see."},` +
				`{"type":"tool_use","id":"toolu_1","name":"search","input":{"query":"reset"}},{"type":"tool_use","id":"call_2","name":"search","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"Press."},{"type":"tool_result","tool_use_id":"call_2"},` +
				`{"type":"text","text":"Quick!"}]}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			system, messages := conversation(c.asked)
			got, err := json.Marshal(messages)
			if err != nil || system != c.system || string(got) != c.want {
				t.Errorf("got %q, %v and %s\nwant %s", system, err, got, c.want)
			}
		})
	}
}

func TestConversationProperty(t *testing.T) {
	roles := []prompt.Role{prompt.SystemRole, prompt.UserRole, prompt.AssistantRole, prompt.ToolRole}
	message := rapid.Custom(func(t *rapid.T) prompt.Message {
		part := prompt.Message{
			Role:   rapid.SampledFrom(roles).Draw(t, "role"),
			Text:   rapid.SampledFrom([]string{"", " ", "a", "b"}).Draw(t, "text"),
			CallID: rapid.StringN(0, 5, -1).Draw(t, "call id"),
		}
		if part.Role == prompt.AssistantRole && rapid.Bool().Draw(t, "calls") {
			part.Calls = []prompt.Call{{ID: part.CallID, Name: "f", Arguments: rapid.String().Draw(t, "arguments")}}
		}
		return part
	})
	rapid.Check(t, func(t *rapid.T) {
		asked := rapid.SliceOfN(message, 0, 12).Draw(t, "prompt")
		_, messages := conversation(asked)
		for i, m := range messages {
			if want := []prompt.Role{prompt.UserRole, prompt.AssistantRole}[i%2]; m.Role != want {
				t.Fatalf("message %d is the %s's, want the %s's", i, m.Role, want)
			}
			checkBlocks(t, m.Content)
		}
		if _, err := json.Marshal(messages); err != nil {
			t.Fatal(err)
		}
		again, _ := json.Marshal(messages)
		if strings.Count(string(again), `"type":"tool_result"`) != results(asked) {
			t.Fatalf("a result was lost in %s", again)
		}
	})
}

func checkBlocks(t *rapid.T, blocks []block) {
	if len(blocks) == 0 {
		t.Fatal("a message is empty")
	}
	seenText := false
	for _, b := range blocks {
		if b.Type == "text" && strings.TrimSpace(b.Text) == "" {
			t.Fatal("a text is blank")
		}
		if b.Type == "tool_result" && seenText {
			t.Fatal("a result comes after a text")
		}
		seenText = seenText || b.Type == "text"
	}
}

func results(asked []prompt.Message) (count int) {
	for _, part := range asked {
		if part.Role == prompt.ToolRole {
			count++
		}
	}
	return count
}
