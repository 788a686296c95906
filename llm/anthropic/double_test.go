package anthropic

import (
	"encoding/json"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"parley/core/chat"
	"parley/llm/llmtest"
)

// TestDouble has Anthropic's own client read what the double sends, and its
// own types what this package sends.
func TestDouble(t *testing.T) {
	reply := llmtest.Reply{
		Reasoning: []string{"hm"}, Pieces: []string{"Let me ", "look."}, CallBytes: 2,
		ToolCalls: []llmtest.ToolCall{{ID: "toolu_1", Name: "search_knowledge", Arguments: `{"query":"reset"}`}},
	}
	server := llmtest.NewAnthropic(t, reply)
	messages := sdk.NewMessageService(option.WithBaseURL(server.BaseURL()), option.WithAPIKey(testKey))
	params := sdk.MessageNewParams{
		Model: "test-model", MaxTokens: 10, Messages: []sdk.MessageParam{sdk.NewUserMessage(sdk.NewTextBlock(testPrompt))},
	}

	t.Run("a stream is what Anthropic's client understands", func(t *testing.T) {
		stream := messages.NewStreaming(t.Context(), params)
		var got sdk.Message
		for stream.Next() {
			if err := got.Accumulate(stream.Current()); err != nil {
				t.Fatal(err)
			}
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
		checkMessage(t, got)
	})
	t.Run("a whole answer is, too", func(t *testing.T) {
		got, err := messages.New(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		checkMessage(t, *got)
	})
	t.Run("a request is what Anthropic's types describe", func(t *testing.T) {
		prompt := withTools()
		call := chat.ToolCall{ID: "toolu_1", Name: "search_knowledge", Arguments: `{"query":"reset"}`}
		prompt.Messages = append(prompt.Messages,
			chat.PromptMessage{Role: chat.AssistantRole, Text: "Let me look.", Calls: []chat.ToolCall{call}},
			chat.PromptMessage{Role: chat.ToolRole, CallID: "toolu_1", Text: "Press the button."})
		var got sdk.MessageNewParams
		if err := json.Unmarshal([]byte(sent(t, "claude-sonnet-5-5", prompt)), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Messages) != 3 || got.System[0].Text != "You answer from the passages only." || got.OutputConfig.Effort != "low" {
			t.Fatalf("got %+v", got)
		}
		if tool := got.Tools[0].OfTool; tool == nil || tool.Name != "search_knowledge" || tool.InputSchema.Properties == nil {
			t.Errorf("tools = %+v", got.Tools)
		}
		if use := got.Messages[1].Content[1].OfToolUse; use == nil || use.ID != "toolu_1" {
			t.Errorf("content = %+v", got.Messages[1].Content)
		}
		if result := got.Messages[2].Content[0].OfToolResult; result == nil || result.ToolUseID != "toolu_1" || len(result.Content) != 1 {
			t.Errorf("content = %+v", got.Messages[2].Content)
		}
	})
}

func checkMessage(t *testing.T, got sdk.Message) {
	t.Helper()
	if len(got.Content) != 3 || got.Content[1].Text != "Let me look." || got.StopReason != sdk.StopReasonToolUse {
		t.Fatalf("got %+v", got)
	}
	if call := got.Content[2].AsToolUse(); call.ID != "toolu_1" || string(call.Input) != `{"query":"reset"}` {
		t.Errorf("call = %+v", call)
	}
	prompt := got.Usage.InputTokens + got.Usage.CacheCreationInputTokens + got.Usage.CacheReadInputTokens
	if want := llmtest.DefaultUsage; int(prompt) != want.PromptTokens || int(got.Usage.OutputTokens) != want.CompletionTokens {
		t.Errorf("usage = %+v, want %+v", got.Usage, want)
	}
}
