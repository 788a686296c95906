package llmtest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"parley/core/answer"
)

func answersByName(t *testing.T, model answer.Model) {
	_, complete, err := generate(t.Context(), model)
	if err != nil {
		t.Fatalf("Generate: %v", err)
	}
	ended, err := model.Generate(t.Context(), Prompt(), func(string) error { return errors.New("the reader has gone") })
	if err == nil || complete.Model != model.Name() || ended.Model != model.Name() {
		t.Errorf("the models are %q and, after %v, %q, want %q", complete.Model, err, ended.Model, model.Name())
	}
}

func usageOfEnded(t *testing.T, model answer.Model) {
	ctx, cancel := context.WithCancel(t.Context())
	generated, err := model.Generate(ctx, Prompt(), func(string) error {
		cancel()
		return nil
	})
	if usage := generated.Usage; err == nil || usage.PromptTokens <= 0 || usage.CompletionTokens < 0 {
		t.Errorf("canceled after the first piece: %+v and %v, want tokens of the prompt and none below zero", usage, err)
	}
	generated, err = model.Generate(ctx, Prompt(), func(string) error { return nil })
	if err == nil || generated.Usage.TotalTokens() != 0 {
		t.Errorf("canceled before the start: %+v and %v, want no tokens", generated.Usage, err)
	}
}

func countGrows(t *testing.T, model answer.Model) {
	last := model.Count("")
	if last < 0 {
		t.Errorf("an empty text has %d tokens", last)
	}
	for words := 1; words <= 10_000; words *= 10 {
		count := model.Count(strings.Repeat("router ", words))
		if count <= last {
			t.Errorf("%d words have %d tokens, and fewer words %d", words, count, last)
		}
		last = count
	}
	if model.Count("\xff\x00") < 1 {
		t.Error("bytes that are not characters have no tokens")
	}
}

func traitsStay(t *testing.T, model answer.Model) {
	before := model.Traits()
	if _, _, err := generate(t.Context(), model); err != nil {
		t.Fatalf("Generate: %v", err)
	}
	if after := model.Traits(); after != before || before.Context < 1 {
		t.Errorf("the traits are %+v, and %+v after an answer", before, after)
	}
}
