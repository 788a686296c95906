package extractive

import (
	"errors"
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
