package extractive

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/core/answer"
	"parley/core/answer/prompt"
	"parley/core/retrieval"
	"parley/llm/llmtest"
	"parley/text/quote"
)

func TestModel(t *testing.T) {
	llmtest.Run(t, func(*testing.T) answer.Model { return New() })
}

func TestGenerate(t *testing.T) {
	t.Run("the words that are emitted make up the whole answer", func(t *testing.T) {
		var pieces []string
		generated, err := New().Generate(t.Context(), llmtest.Prompt(), func(text string) error {
			pieces = append(pieces, text)
			return nil
		})
		if err != nil || strings.Join(pieces, "") != Answer(llmtest.Prompt()) || len(pieces) < 10 {
			t.Errorf("got %q and %v", pieces, err)
		}
		if !generated.Usage.Estimated {
			t.Error("the usage is not marked as estimated")
		}
	})
	t.Run("a stopped answer reports the usage of its emitted words", func(t *testing.T) {
		stop := errors.New("stop")
		generated, err := New().Generate(t.Context(), llmtest.Prompt(), func(string) error { return stop })
		if usage := generated.Usage; !errors.Is(err, stop) || usage.CompletionTokens != 0 || usage.PromptTokens == 0 {
			t.Errorf("got %+v and %v", usage, err)
		}
	})
}

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

func TestNobodyWaits(t *testing.T) {
	asked := prompt.Prompt{Question: "When does the workshop open?"}
	for n := range 10 {
		var text strings.Builder
		for day := range 50 {
			fmt.Fprintf(&text, "The workshop of hall %d opens on day %d at eight.\n\n", n, day)
		}
		asked.Passages = append(asked.Passages, retrieval.Result{Passage: retrieval.Passage{Title: "Shop", Text: text.String()}})
	}
	generate := func(after int) (looks, said int, err error) {
		ctx := &leaving{Context: t.Context(), after: after}
		_, err = New().Generate(ctx, asked, func(text string) error { said += len(text); return nil })
		return ctx.looks, said, err
	}
	all, said, err := generate(1 << 30)
	if err != nil || said == 0 || all < 400 {
		t.Fatalf("%d bytes, %v, after %d looks", said, err, all)
	}
	for _, after := range []int{1, 5, 50, all / 4, all / 2} {
		t.Run(fmt.Sprintf("who leaves after %d of %d looks is looked for a few times more", after, all), func(t *testing.T) {
			if looks, said, err := generate(after); !errors.Is(err, context.Canceled) || looks > after+20 {
				t.Errorf("%d bytes, %v, after %d looks", said, err, looks)
			}
		})
	}
}

func TestAnswer(t *testing.T) {
	t.Run("the questions before are read with it, and neither courtesies nor answers", func(t *testing.T) {
		asked := prompt.Prompt{Question: "And on Sundays?", Passages: []retrieval.Result{{Passage: retrieval.Passage{
			Title: "Shop", Text: "Tours leave on Sundays at ten.\n\nThe workshop opens on Sundays at noon, and closes at four.",
		}}}, Messages: []prompt.Message{
			{Role: prompt.UserRole, Text: "When does the workshop open?"},
			{Role: prompt.AssistantRole, Text: "At eight. Ask about tours, too."},
			{Role: prompt.UserRole, Text: "Thanks!"},
			{Role: prompt.AssistantRole, Text: "You're welcome."},
			{Role: prompt.UserRole, Text: "And on Sundays?"},
		}}
		want := quote.Answer(quote.Question{Text: asked.Question, Earlier: []string{"When does the workshop open?"}, Passages: Passages(asked.Passages)})
		if got := Answer(asked); got != want || !strings.Contains(got, "The workshop opens on Sundays") {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}
