package answer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/core/answer/prompt"
	"parley/core/chatbot"
	"parley/core/retrieval"
)

// leaving is a context that is canceled after it was looked at a number of times.
type leaving struct {
	context.Context
	looks, after int
}

func (l *leaving) Err() error {
	if l.looks++; l.looks > l.after {
		return context.Canceled
	}
	return nil
}

// atOnce is a language model that says all in one piece.
type atOnce string

func (atOnce) Name() string                { return "at-once" }
func (atOnce) Count(text string) int       { return len(text) }
func (atOnce) Traits() Traits              { return Traits{Language: true} }
func (atOnce) Check(context.Context) error { return nil }

func (m atOnce) Generate(_ context.Context, _ prompt.Prompt, emit func(string) error) (Generated, error) {
	return Generated{Model: "at-once", Finish: FinishStop}, emit(string(m))
}

// page is what a reader has on the page.
type page struct{ strings.Builder }

func (p *page) Delta(piece string) error { p.WriteString(piece); return nil }
func (*page) Waiting(string) error       { return nil }

func TestNobodyWaits(t *testing.T) {
	const sentences = 500
	text := strings.Repeat("The bakery opens at eight in the morning. ", sentences)
	found := []retrieval.Result{{Passage: retrieval.Passage{Title: "Hours", Text: "The bakery opens at eight in the morning."}}}
	generate := func(after int) (*leaving, string, error) {
		d := draftOf(t, pipeline(nil, nil), &chatbot.Chatbot{WorkspaceID: "ws_1", Answering: chatbot.Answering{Grounding: chatbot.Strict}}, "When do you open?", "")
		d.model, d.passages = atOnce(text), found
		ctx, reader := &leaving{Context: t.Context(), after: after}, &page{}
		err := d.Generate(ctx, reader, true)
		return ctx, reader.String(), err
	}
	t.Run("an answer is checked to its end for whoever waits", func(t *testing.T) {
		ctx, said, err := generate(1 << 30)
		if err != nil || strings.Count(said, "bakery") != sentences || ctx.looks < sentences {
			t.Errorf("%d bytes, %v, after %d looks", len(said), err, ctx.looks)
		}
	})
	t.Run("an answer is not checked on for nobody, and has not ended", func(t *testing.T) {
		ctx, said, err := generate(50)
		if !errors.Is(err, context.Canceled) || strings.Count(said, "bakery") > 50 || ctx.looks > 60 {
			t.Errorf("%d bytes, %v, after %d looks", len(said), err, ctx.looks)
		}
	})
	t.Run("a prompt is not composed on", func(t *testing.T) {
		var history []prompt.Message
		for n := range 200 {
			history = append(history, prompt.Message{Role: prompt.UserRole, Text: fmt.Sprintf("Question %d?", n)}, prompt.Message{Role: prompt.AssistantRole, Text: "Yes."})
		}
		compose := func(after int) int {
			ctx := &leaving{Context: t.Context(), after: after}
			asked := prompt.Question{Text: "When?", Query: "When?", Bot: &chatbot.Chatbot{}, Passages: found, History: history, Gone: func() bool { return ctx.Err() != nil }}
			made, _ := prompt.Compose(asked, prompt.Window{})
			return len(made.Messages)
		}
		if all, some := compose(1<<30), compose(10); all != 402 || some > 24 {
			t.Errorf("it has %d messages, and %d of nobody", all, some)
		}
	})
}
