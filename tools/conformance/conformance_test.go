// Package conformance holds the model servers of package llmtest, and the
// requests of llm/anthropic, to what the vendors' own clients read and write.
package conformance

import (
	"encoding/json"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	openaioption "github.com/openai/openai-go/v3/option"

	"parley/core/answer/prompt"
	ours "parley/llm/anthropic"
	"parley/llm/llmtest"
)

const question = "How do I reset the router?"

// reply has what an answer can have: thoughts, text and the call of a tool.
func reply() llmtest.Reply {
	return llmtest.Reply{
		Reasoning: []string{"hm"}, Pieces: []string{"Let me ", "look."}, CallBytes: 2,
		ToolCalls: []llmtest.ToolCall{{ID: "toolu_1", Name: "search_knowledge", Arguments: `{"query":"reset"}`}},
	}
}

func TestAnthropic(t *testing.T) {
	server := llmtest.NewAnthropic(t, reply())
	messages := anthropic.NewMessageService(anthropicoption.WithBaseURL(server.BaseURL()), anthropicoption.WithAPIKey("key"))
	params := anthropic.MessageNewParams{
		Model: "test-model", MaxTokens: 10,
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(question))},
	}
	t.Run("Anthropic's client understands a stream", func(t *testing.T) {
		stream := messages.NewStreaming(t.Context(), params)
		var got anthropic.Message
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
	t.Run("Anthropic's client understands a whole answer", func(t *testing.T) {
		got, err := messages.New(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		checkMessage(t, *got)
	})
}

func checkMessage(t *testing.T, got anthropic.Message) {
	t.Helper()
	if len(got.Content) != 3 || got.Content[1].Text != "Let me look." || got.StopReason != anthropic.StopReasonToolUse {
		t.Fatalf("got %+v", got)
	}
	if call := got.Content[2].AsToolUse(); call.ID != "toolu_1" || string(call.Input) != `{"query":"reset"}` {
		t.Errorf("call = %+v", call)
	}
	asked := got.Usage.InputTokens + got.Usage.CacheCreationInputTokens + got.Usage.CacheReadInputTokens
	if want := llmtest.DefaultUsage; int(asked) != want.PromptTokens || int(got.Usage.OutputTokens) != want.CompletionTokens {
		t.Errorf("usage = %+v, want %+v", got.Usage, want)
	}
}

func TestRequestToAnthropic(t *testing.T) {
	server := llmtest.NewAnthropic(t, llmtest.Reply{Pieces: []string{"Yes."}})
	model, err := ours.New(ours.Config{BaseURL: server.BaseURL(), Model: "claude-sonnet-5-5", Tools: true})
	if err != nil {
		t.Fatal(err)
	}
	asked := llmtest.Prompt()
	asked.Tools = []prompt.Tool{{
		Name: "search_knowledge", Description: "Finds passages.",
		Parameters: `{"type":"object","properties":{"query":{"type":"string"}}}`,
	}}
	call := prompt.Call{ID: "toolu_1", Name: "search_knowledge", Arguments: `{"query":"reset"}`}
	asked.Messages = append(asked.Messages,
		prompt.Message{Role: prompt.AssistantRole, Text: "Let me look.", Calls: []prompt.Call{call}},
		prompt.Message{Role: prompt.ToolRole, CallID: "toolu_1", Text: "Press the button."})
	if _, err := model.Generate(t.Context(), asked, func(string) error { return nil }); err != nil {
		t.Fatal(err)
	}
	var got anthropic.MessageNewParams
	if err := json.Unmarshal(server.Request(0).Body(), &got); err != nil {
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
}

func TestOpenAI(t *testing.T) {
	server := llmtest.NewServer(t, reply())
	completions := openai.NewChatCompletionService(openaioption.WithBaseURL(server.BaseURL()), openaioption.WithAPIKey("key"))
	params := openai.ChatCompletionNewParams{Model: "test-model", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(question)}}
	check := func(t *testing.T, got openai.ChatCompletion) {
		t.Helper()
		if len(got.Choices) != 1 || got.Choices[0].Message.Content != "Let me look." || got.Choices[0].FinishReason != "tool_calls" {
			t.Fatalf("got %+v", got)
		}
		calls := got.Choices[0].Message.ToolCalls
		if len(calls) != 1 || calls[0].Function.Name != "search_knowledge" || calls[0].Function.Arguments != `{"query":"reset"}` {
			t.Errorf("calls = %+v", calls)
		}
	}
	t.Run("OpenAI's client understands a stream", func(t *testing.T) {
		stream := completions.NewStreaming(t.Context(), params)
		var got openai.ChatCompletionAccumulator
		for stream.Next() {
			if !got.AddChunk(stream.Current()) {
				t.Fatal("a chunk does not belong to the answer")
			}
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
		check(t, got.ChatCompletion)
	})
	t.Run("OpenAI's client understands a whole answer", func(t *testing.T) {
		got, err := completions.New(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		check(t, *got)
	})
}
