package answer

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"parley/core/answer/prompt"
	"parley/core/chat"
	"parley/core/chat/quota"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/retrieval"
)

// sized is a model with a context, in which a token has four bytes.
type sized struct {
	traits Traits
}

func (sized) Check(context.Context) error { return nil }
func (sized) Name() string                { return "sized" }

func (m sized) Traits() Traits { return m.traits }

func (m sized) Count(text string) int { return (len(text) + 3) / 4 }

func language(context int) sized { return sized{traits: Traits{Language: true, Context: context}} }

func passages(n, bytes int) []retrieval.Result {
	var all []retrieval.Result
	for i := range n {
		text := fmt.Sprintf("Passage no. %d. ", i+1)
		all = append(all, retrieval.Result{Passage: retrieval.Passage{ID: int64(i + 1), Title: "Hours", Text: text + strings.Repeat("x", bytes-len(text))}})
	}
	return all
}

func history(n, bytes int) []prompt.Message {
	var all []prompt.Message
	for i := range n {
		question, answer := fmt.Sprintf("question %d ", i+1), fmt.Sprintf("answer %d ", i+1)
		all = append(all,
			prompt.Message{Role: prompt.UserRole, Text: question + strings.Repeat("q", bytes-len(question))},
			prompt.Message{Role: prompt.AssistantRole, Text: answer + strings.Repeat("a", bytes-len(answer))})
	}
	return all
}

func lastOf(p prompt.Prompt) string { return p.Messages[len(p.Messages)-1].Text }

// composed is the prompt of a question that passages were found for.
func composed(bot *chatbot.Chatbot, model Model, found []retrieval.Result, question string) prompt.Prompt {
	asked := prompt.Question{Text: question, Query: question, Bot: bot, Passages: found}
	if model.Traits().Tools {
		asked.Tools = []prompt.Tool{searchTool}
	}
	p, _ := prompt.Compose(asked, windowOf(model))
	return p
}

// wantPassages fails unless a text has so many passages.
func wantPassages(t *testing.T, text string, want int) {
	t.Helper()
	if strings.Count(text, "\n</passage>") != want || strings.Count(text, `<passage id="`) != want {
		t.Errorf("it does not have %d passages:\n%s", want, text)
	}
}

func TestHistory(t *testing.T) {
	said := withoutMarkers([]prompt.Message{{Role: prompt.UserRole, Text: "When [3]?"}, {Role: prompt.AssistantRole, Text: "At nine [3]."}})
	if said[0].Role != prompt.UserRole || said[0].Text != "When [3]?" || said[1].Text != "At nine." || said[1].Role != prompt.AssistantRole {
		t.Errorf("got %+v", said)
	}
}

func tokensOf(model Model, p prompt.Prompt) int {
	sum := 0
	for _, m := range p.Messages {
		sum += model.Count(m.Text) + 4
	}
	return sum
}

// pipeline is one without a cache.
func pipeline(searcher Searcher, model Model) *Pipeline {
	return New(searcher, Always(model), nil, time.Now, slog.New(slog.DiscardHandler))
}

// draftOf begins an answer to a question that was admitted.
func draftOf(t *testing.T, p *Pipeline, bot *chatbot.Chatbot, question, query string) *Draft {
	t.Helper()
	unlimited := plan.Plan{Limits: plan.Limits{MessageChars: 64_000, MessagesPerMonth: plan.Unlimited}}
	ticket, err := quota.New(nil, time.Now).Take(t.Context(), bot.WorkspaceID, bot.ID, chat.API, unlimited, question)
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Draft(bot, ticket, query)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
