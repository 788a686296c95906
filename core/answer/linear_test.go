package answer_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/answer/extractive"
	"parley/core/answer/prompt"
	"parley/core/chat"
	"parley/core/chat/quota"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/internal/plain"
	"parley/text/answertest"
	"parley/text/tokens"
)

// readers read a text that anybody may have written. Those of package text are tried there.
var readers = map[string]func(text string){
	"plain.Title":              func(text string) { plain.Title(text) },
	"plain.Line":               func(text string) { plain.Line(text) },
	"chat.TitleOf":             func(text string) { chat.TitleOf(text) },
	"prompt.Compose, question": func(text string) { composeOf(prompt.Question{Text: text, Query: text}) },
	"prompt.Compose, passage":  func(text string) { composeOf(prompt.Question{Text: "When?", Query: "When?", Passages: foundOf(text)}) },
	"prompt.Compose, history": func(text string) {
		composeOf(prompt.Question{Text: "When?", Query: "When?", Context: text, History: []prompt.Message{{Role: prompt.UserRole, Text: text}, {Role: prompt.AssistantRole, Text: text}}})
	},
	"the pipeline, question": func(text string) { answerOf(text, opening, extractive.New()) },
	"the pipeline, passage":  func(text string) { answerOf("When do you open?", text, extractive.New()) },
	"the pipeline, model":    func(text string) { answerOf("When do you open?", opening, says{text}) },
}

const opening = "We open at eight. Rye bread costs 3.50 €.\n"

func TestHostileTextsTakeLinearTime(t *testing.T) { answertest.TakesLinearTime(t, readers) }

func foundOf(text string) []retrieval.Result {
	return []retrieval.Result{{Passage: retrieval.Passage{ID: 1, DocumentID: "doc", Title: "Hours", Text: text}, Score: 1}}
}

func composeOf(asked prompt.Question) {
	asked.Bot = &chatbot.Chatbot{}
	prompt.Compose(asked, prompt.Window{Tokens: 500, Count: tokens.Count})
}

// says is a language model that says a text in small pieces.
type says struct{ text string }

func (m says) Generate(_ context.Context, _ prompt.Prompt, emit func(string) error) (answer.Generated, error) {
	text := m.text
	for len(text) > 0 {
		n := min(8, len(text))
		if err := emit(text[:n]); err != nil {
			return answer.Generated{}, err
		}
		text = text[n:]
	}
	return answer.Generated{}, nil
}
func (says) Count(text string) int { return len(text) / 4 }
func (says) Traits() answer.Traits {
	return answer.Traits{Language: true, Tools: true, Context: 1 << 20}
}
func (says) Check(context.Context) error { return nil }
func (says) Name() string                { return "says" }

// finds is a search that finds a text.
type finds struct{ text string }

func (s finds) Search(context.Context, retrieval.Scope, retrieval.Query) ([]retrieval.Result, error) {
	return foundOf(s.text), nil
}

// heard keeps an answer.
type heard struct{ strings.Builder }

func (h *heard) Delta(piece string) error { h.WriteString(piece); return nil }
func (*heard) Waiting(string) error       { return nil }

// answerOf takes a question the whole way, for a strict chatbot.
func answerOf(question, found string, model answer.Model) {
	pipeline := answer.New(finds{found}, answer.Always(model), nil, time.Now, slog.New(slog.DiscardHandler))
	unlimited := plan.Plan{Limits: plan.Limits{MessageChars: 1 << 20, MessagesPerMonth: plan.Unlimited}}
	ticket, err := quota.New(nil, time.Now).Take(context.Background(), "ws", "cb", chat.API, unlimited, question)
	if err != nil {
		return // it is blank, or cannot be stored
	}
	bot := &chatbot.Chatbot{WorkspaceID: "ws"}
	bot.Grounding = chatbot.Strict
	draft, err := pipeline.Draft(bot, ticket, "")
	if err != nil {
		panic(err)
	}
	var said heard
	if draft.Prepare(context.Background(), nil) == nil && draft.Generate(context.Background(), &said, true) == nil {
		draft.Answer(said.String())
	}
}
