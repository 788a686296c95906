package llmtest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"parley/core/answer"
	"parley/core/answer/prompt"
	"parley/core/retrieval"
)

// Run is the suite that every adapter of answer.Model must pass. open returns a
// model that answers [Prompt] in at least two pieces, always with the same text.
func Run(t *testing.T, open func(t *testing.T) answer.Model) {
	t.Run("an answer is emitted in pieces that are never empty, one at a time", func(t *testing.T) {
		answersInPieces(t, open(t))
	})
	t.Run("the usage of an answer is positive", func(t *testing.T) {
		usageIsPositive(t, open(t))
	})
	t.Run("an error of emit ends the answer and is returned", func(t *testing.T) {
		emitErrorEnds(t, open(t))
	})
	t.Run("nothing is emitted once the context is canceled", func(t *testing.T) {
		cancelEnds(t, open(t))
	})
	t.Run("a context that ended before the start gives no answer", func(t *testing.T) {
		overBeforeStart(t, open(t))
	})
	t.Run("concurrent answers do not mix", func(t *testing.T) {
		concurrently(t, open(t))
	})
	t.Run("an answer names its model, however it ends", func(t *testing.T) {
		answersByName(t, open(t))
	})
	t.Run("a canceled answer has the usage so far, and none if the model was never called", func(t *testing.T) {
		usageOfEnded(t, open(t))
	})
	t.Run("nothing is called unless tools were offered", func(t *testing.T) {
		if _, generated, err := generate(t.Context(), open(t)); err != nil || len(generated.Calls) != 0 {
			t.Errorf("got %v and %v", generated.Calls, err)
		}
	})
	t.Run("the tokens of a text are above zero and grow with it", func(t *testing.T) {
		countGrows(t, open(t))
	})
	t.Run("the traits leave room for a prompt and do not change", func(t *testing.T) {
		traitsStay(t, open(t))
	})
	t.Run("a model that answers has a name and passes its check", func(t *testing.T) {
		model := open(t)
		if model.Name() == "" {
			t.Error("the name is empty")
		}
		if err := model.Check(t.Context()); err != nil {
			t.Errorf("Check: %v", err)
		}
	})
}

// Prompt is a prompt that every model can answer, from its text or its passages.
func Prompt() prompt.Prompt {
	const question = "How do I reset the router?"
	return prompt.Prompt{
		Question: question,
		Messages: []prompt.Message{
			{Role: prompt.SystemRole, Text: "You answer from the passages only."},
			{Role: prompt.UserRole, Text: question},
		},
		Passages: []retrieval.Result{{Score: 1, Passage: retrieval.Passage{
			ID: 1, DocumentID: "doc", Title: "Manual", HeadingPath: []string{"Reset"},
			Text: "To reset the router, press its button for ten seconds. The light blinks.",
		}}},
	}
}

func answersInPieces(t *testing.T, model answer.Model) {
	var pieces []string
	var inside atomic.Int32
	_, err := model.Generate(t.Context(), Prompt(), func(text string) error {
		if inside.Add(1) != 1 {
			t.Error("emit was called before its last call returned")
		}
		defer inside.Add(-1)
		pieces = append(pieces, text)
		return nil
	})
	if err != nil {
		t.Fatalf("Generate: %v", err)
	}
	if len(pieces) < 2 {
		t.Errorf("the answer came in %d pieces, want at least 2", len(pieces))
	}
	for i, piece := range pieces {
		if piece == "" || !utf8.ValidString(piece) {
			t.Errorf("piece %d is empty or not UTF-8: %q", i, piece)
		}
	}
}

func usageIsPositive(t *testing.T, model answer.Model) {
	_, generated, err := generate(t.Context(), model)
	if err != nil {
		t.Fatalf("Generate: %v", err)
	}
	if usage := generated.Usage; usage.PromptTokens <= 0 || usage.CompletionTokens <= 0 {
		t.Errorf("usage = %+v, want both above zero", usage)
	}
}

func emitErrorEnds(t *testing.T, model answer.Model) {
	stop := errors.New("the reader has gone")
	calls := 0
	_, err := model.Generate(t.Context(), Prompt(), func(string) error {
		calls++
		return stop
	})
	if !errors.Is(err, stop) {
		t.Errorf("err = %v, want the error of emit", err)
	}
	if calls != 1 {
		t.Errorf("emit was called %d times, want once", calls)
	}
}

func cancelEnds(t *testing.T, model answer.Model) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	calls := 0
	_, err := model.Generate(ctx, Prompt(), func(string) error {
		calls++
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want context.Canceled", err)
	}
	if calls != 1 {
		t.Errorf("emit was called %d times, want once", calls)
	}
}

func overBeforeStart(t *testing.T, model answer.Model) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	text, _, err := generate(ctx, model)
	if !errors.Is(err, context.Canceled) || text != "" {
		t.Errorf("got %q and %v, want nothing and context.Canceled", text, err)
	}
}

func concurrently(t *testing.T, model answer.Model) {
	want, _, err := generate(t.Context(), model)
	if err != nil {
		t.Fatalf("Generate: %v", err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			got, _, err := generate(t.Context(), model)
			if err != nil || got != want {
				t.Errorf("got %q and %v, want %q", got, err, want)
			}
		})
	}
	all.Wait()
}

func generate(ctx context.Context, model answer.Model) (string, answer.Generated, error) {
	var text strings.Builder
	generated, err := model.Generate(ctx, Prompt(), func(piece string) error {
		text.WriteString(piece)
		return nil
	})
	return text.String(), generated, err
}
