package openai

import (
	"errors"
	"strings"
	"testing"

	"parley/llm/llmtest"
	"parley/llm/upstream/upstreamtest"
)

// echo is what a server could send back to get it logged.
const echo = `{"error":{"message":"` + testPrompt + `","type":"` + testKey + `","code":"` + testPrompt + `"}}`

func TestRefusal(t *testing.T) {
	for name, reply := range map[string]llmtest.Reply{
		"a lone call of a tool is not an answer":      {ToolCalls: []llmtest.ToolCall{{ID: "c", Name: "f", Arguments: "{}"}}},
		"a filtered answer without text is a failure": {Finish: "content_filter"},
		"a finish_reason may be an error":             {Finish: "error"},
	} {
		t.Run(name, func(t *testing.T) {
			server := llmtest.NewServer(t, reply)
			_, _, err := generate(t.Context(), open(t, server, nil))
			message := notAnswered
			if reply.Finish == "content_filter" {
				message = "The language model declined to answer this. Ask in a different way."
			}
			upstreamtest.WantFault(t, err, message)
			if got := server.Arrived(); got != 1 {
				t.Errorf("%d requests were sent, want 1", got)
			}
		})
	}
	t.Run("the log has status and code", func(t *testing.T) {
		for body, want := range map[string]string{
			`{"error":{"code":"insufficient_quota"}}`:                    "the server answered 429 Too Many Requests, insufficient_quota",
			`{"error":{"code":null,"type":"rate_limit_exceeded"}}`:       "the server answered 429 Too Many Requests, rate_limit_exceeded",
			`{"error":{"code":"` + testKey + `","type":"server_error"}}`: "the server answered 429 Too Many Requests, server_error",
			echo: "the server answered 429 Too Many Requests",
		} {
			server := llmtest.NewServer(t, llmtest.Reply{Status: 429, RetryAfter: "60", ErrorBody: body})
			_, _, err := generate(t.Context(), open(t, server, nil))
			message := tooBusy
			if strings.Contains(want, "insufficient_quota") {
				message = "The chatbot's account at its model provider has no credit left. The chatbot's owner must add some there."
			}
			if got := upstreamtest.WantFault(t, err, message).Cause.Error(); got != want {
				t.Errorf("cause = %q, want %q", got, want)
			}
		}
	})
	t.Run("a useless answer is not the server's failure", func(t *testing.T) {
		calls := make([]llmtest.ToolCall, maxCalls+1)
		for i := range calls {
			calls[i] = twoCalls[0]
		}
		for _, reply := range []llmtest.Reply{{}, {ToolCalls: calls}} {
			_, _, err := ask(t, llmtest.NewServer(t, reply), toolPrompt())
			var answered interface{ Status() int }
			if found := upstreamtest.WantFault(t, err, notAnswered); !errors.As(found, &answered) || answered.Status() != 200 {
				t.Errorf("cause = %v", found.Cause)
			}
		}
	})
}
