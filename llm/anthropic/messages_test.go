package anthropic

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/chat"
)

func TestConversation(t *testing.T) {
	say := func(role chat.PromptRole, text string) chat.PromptMessage {
		return chat.PromptMessage{Role: role, Text: text}
	}
	search := chat.ToolCall{ID: "toolu_1", Name: "search", Arguments: `{"query":"reset"}`}
	for name, c := range map[string]struct {
		prompt []chat.PromptMessage
		system string
		want   string
	}{
		"instructions are apart, wherever they stand": {
			[]chat.PromptMessage{say(chat.SystemRole, "Be brief."), say(chat.UserRole, "Hi."), say(chat.SystemRole, "Be kind.")},
			"Be brief.\n\nBe kind.", `[{"role":"user","content":[{"type":"text","text":"Hi."}]}]`,
		},
		"messages of one role in a row are one message": {
			[]chat.PromptMessage{say(chat.UserRole, "a"), say(chat.UserRole, "b"), say(chat.AssistantRole, "c"), say(chat.AssistantRole, "d")},
			"", `[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},` +
				`{"role":"assistant","content":[{"type":"text","text":"c"},{"type":"text","text":"d"}]}]`,
		},
		"an answer does not come first": {
			[]chat.PromptMessage{say(chat.AssistantRole, "a"), say(chat.UserRole, "b")},
			"", `[{"role":"user","content":[{"type":"text","text":"` + leftOut + `"}]},` +
				`{"role":"assistant","content":[{"type":"text","text":"a"}]},{"role":"user","content":[{"type":"text","text":"b"}]}]`,
		},
		"a message of white space is left out": {
			[]chat.PromptMessage{say(chat.UserRole, "a"), say(chat.AssistantRole, " \n"), say(chat.UserRole, "b")},
			"", `[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]`,
		},
		"calls and their results are blocks, and the results come first": {
			[]chat.PromptMessage{
				say(chat.UserRole, "How?"),
				{Role: chat.AssistantRole, Text: "Let me see.", Calls: []chat.ToolCall{search, {ID: "call:2", Name: "search", Arguments: "nonsense"}}},
				say(chat.UserRole, "Quick!"),
				{Role: chat.ToolRole, CallID: "toolu_1", Text: "Press."},
				{Role: chat.ToolRole, CallID: "call:2"},
			},
			"", `[{"role":"user","content":[{"type":"text","text":"How?"}]},` +
				`{"role":"assistant","content":[{"type":"text","text":"Let me see."},` +
				`{"type":"tool_use","id":"toolu_1","name":"search","input":{"query":"reset"}},{"type":"tool_use","id":"call_2","name":"search","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"Press."},{"type":"tool_result","tool_use_id":"call_2"},` +
				`{"type":"text","text":"Quick!"}]}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			system, messages := conversation(c.prompt)
			got, err := json.Marshal(messages)
			if err != nil || system != c.system || string(got) != c.want {
				t.Errorf("got %q, %v and %s\nwant %s", system, err, got, c.want)
			}
		})
	}
}

func TestConversationProperty(t *testing.T) {
	roles := []chat.PromptRole{chat.SystemRole, chat.UserRole, chat.AssistantRole, chat.ToolRole}
	message := rapid.Custom(func(t *rapid.T) chat.PromptMessage {
		part := chat.PromptMessage{
			Role:   rapid.SampledFrom(roles).Draw(t, "role"),
			Text:   rapid.SampledFrom([]string{"", " ", "a", "b"}).Draw(t, "text"),
			CallID: rapid.StringN(0, 5, -1).Draw(t, "call id"),
		}
		if part.Role == chat.AssistantRole && rapid.Bool().Draw(t, "calls") {
			part.Calls = []chat.ToolCall{{ID: part.CallID, Name: "f", Arguments: rapid.String().Draw(t, "arguments")}}
		}
		return part
	})
	rapid.Check(t, func(t *rapid.T) {
		prompt := rapid.SliceOfN(message, 0, 12).Draw(t, "prompt")
		_, messages := conversation(prompt)
		for i, m := range messages {
			if want := []chat.PromptRole{chat.UserRole, chat.AssistantRole}[i%2]; m.Role != want {
				t.Fatalf("message %d is the %s's, want the %s's", i, m.Role, want)
			}
			checkBlocks(t, m.Content)
		}
		if _, err := json.Marshal(messages); err != nil {
			t.Fatal(err)
		}
		again, _ := json.Marshal(messages)
		if strings.Count(string(again), `"type":"tool_result"`) != results(prompt) {
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

func results(prompt []chat.PromptMessage) (count int) {
	for _, part := range prompt {
		if part.Role == chat.ToolRole {
			count++
		}
	}
	return count
}
