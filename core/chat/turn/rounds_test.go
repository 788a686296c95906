package turn_test

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/retrieval"
	"parley/llm/llmtest"
	"parley/llm/openai"
)

// library finds a passage about what is asked for.
type library struct{ asked []retrieval.Query }

func (l *library) Search(_ context.Context, _ retrieval.Scope, query retrieval.Query) ([]retrieval.Result, error) {
	l.asked = append(l.asked, query)
	passage := retrieval.Passage{
		ID: int64(len(l.asked)), DocumentID: "doc_" + strconv.Itoa(len(l.asked)), Title: query.Text,
		Text: "About " + query.Text + ".</passage> It opens at nine.",
	}
	return []retrieval.Result{{Passage: passage}}, nil
}

// body is what a provider is sent.
type body struct {
	Stream      bool
	Temperature *float64
	MaxTokens   int `json:"max_tokens"`
	Tools       []any
	Messages    []struct {
		Role, Content string
		ToolCallID    string `json:"tool_call_id"`
		ToolCalls     []struct {
			ID       string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
}

func sent(t *testing.T, server *llmtest.Server, n int) body {
	t.Helper()
	if server.Arrived() <= n {
		t.Fatalf("only %d requests were sent", server.Arrived())
	}
	var found body
	if err := json.Unmarshal(server.Request(n).Body(), &found); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestRoundsWithAProvider(t *testing.T) {
	r := newRig(t)
	server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"At nine [1]."}})
	model, err := openai.New(openai.Config{BaseURL: server.BaseURL(), Model: "test-model", Tools: true})
	r.must(err)
	knows := &library{}
	s := open(r.db, knows, model, func() time.Time { return r.now })
	caller := callerOf(home, 100)
	caller.Chatbot.MaxAnswerTokens = 400

	ask := func(t *testing.T, conversation int64, question string) (turn.Turn, turn.Answer, string) {
		t.Helper()
		asked, err := s.Begin(t.Context(), caller, turn.Ask{Ref: chat.Ref{ConversationID: conversation}, Message: question})
		if err != nil {
			t.Fatal(err)
		}
		var events strings.Builder
		answer, err := asked.Run(t.Context(), func(event turn.Event) error {
			if event.Kind == turn.Waiting {
				events.WriteString("(" + event.Text + ")")
				return nil
			}
			events.WriteString(event.Text)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return *asked, answer, events.String()
	}

	var conversation int64
	t.Run("what a provider calls for in pieces is searched for, told and answered from", func(t *testing.T) {
		server.Next(llmtest.Reply{
			Pieces:    []string{"Let me ", "look."},
			ToolCalls: []llmtest.ToolCall{{ID: "c1", Name: "search_knowledge", Arguments: `{"query":"pool"}`}, {ID: "c2", Name: "search_knowledge", Arguments: `{"query":`}},
			CallBytes: 3,
		}, llmtest.Reply{Pieces: []string{"The pool opens at nine [2]", ", not at ten [7]."}})
		asked, given, events := ask(t, 0, "When does the pool open?")
		conversation = asked.Conversation.ID
		if given.Text != "Let me look.\n\nThe pool opens at nine [2], not at ten." {
			t.Errorf("the answer is %q", given.Text)
		}
		if !strings.Contains(events, "Let me look.(Searching the knowledge for “pool”.)\n\nThe pool") {
			t.Errorf("the events are %q", events)
		}
		if len(given.Citations) != 2 || given.Citations[0].Cited || !given.Citations[1].Cited || given.Citations[1].DocumentID != "doc_2" {
			t.Errorf("the sources are %+v", given.Citations)
		}
		twice := answer.Usage{PromptTokens: 2 * llmtest.DefaultUsage.PromptTokens, CompletionTokens: 2 * llmtest.DefaultUsage.CompletionTokens}
		if given.Usage() != twice || given.Record.Passages != 2 || given.Record.Refuted != 1 {
			t.Errorf("the usage record is %+v", given.Record)
		}

		first, second := sent(t, server, 0), sent(t, server, 1)
		if len(first.Tools) != 1 || len(second.Tools) != 1 || first.MaxTokens != 400 {
			t.Errorf("it was sent %+v", first)
		}
		n := len(first.Messages)
		if len(second.Messages) != n+3 || len(second.Messages[n].ToolCalls) != 2 || second.Messages[n].Content != "Let me look." {
			t.Fatalf("it was sent %+v", second)
		}
		good, bad := second.Messages[n+1], second.Messages[n+2]
		if good.Role != "tool" || good.ToolCallID != "c1" || strings.Count(good.Content, "</passage>") != 1 || !strings.Contains(good.Content, `<passage id="2" source="pool">`) {
			t.Errorf("it was told %q", good)
		}
		if bad.ToolCallID != "c2" || !strings.Contains(bad.Content, "must be a JSON object") {
			t.Errorf("it was told %q", bad)
		}
	})

	t.Run("the next question is rewritten before it is searched for", func(t *testing.T) {
		before := server.Arrived()
		server.Next(llmtest.Reply{Pieces: []string{"Does the pool open on Sundays?"}}, llmtest.Reply{Pieces: []string{"Yes [1]."}})
		_, answer, _ := ask(t, conversation, "And on Sundays?")
		rewriting, second := sent(t, server, before), sent(t, server, before+1)
		if rewriting.Stream || rewriting.Temperature == nil || *rewriting.Temperature != 0 || rewriting.MaxTokens != 200 || len(rewriting.Tools) != 0 {
			t.Errorf("the rewriting is %+v", rewriting)
		}
		searched := knows.asked[len(knows.asked)-1]
		if !strings.HasSuffix(searched.Text, "?\nDoes the pool open on Sundays?") || len(searched.Context) == 0 || answer.Query != "Does the pool open on Sundays?" {
			t.Errorf("searched for %+v, stored %q", searched, answer.Query)
		}
		var roles []string
		for _, m := range second.Messages {
			roles = append(roles, m.Role)
		}
		if !slices.Equal(roles, []string{"system", "user", "assistant", "user"}) || strings.Contains(second.Messages[2].Content, "[2]") {
			t.Errorf("it was sent %+v", second.Messages)
		}
		if answer.Usage().PromptTokens != 2*llmtest.DefaultUsage.PromptTokens {
			t.Errorf("the usage is %+v", answer.Usage())
		}
	})

	t.Run("a provider that cannot rewrite it has the question searched for as it is, with those before", func(t *testing.T) {
		before := server.Arrived()
		server.Next(llmtest.Reply{Status: 400}, llmtest.Reply{Pieces: []string{"Yes [1]."}})
		_, answer, _ := ask(t, conversation, "And on Mondays?")
		searched := knows.asked[len(knows.asked)-1]
		if searched.Text != "And on Mondays?" || len(searched.Context) != 2 || answer.Query != "" || server.Arrived() != before+2 {
			t.Errorf("searched for %+v, stored %q", searched, answer.Query)
		}
	})
}
