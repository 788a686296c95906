// Package fallback owns what happens when a model fails: a fallback model answers
// in its place, and a circuit breaker pauses a provider that fails repeatedly.
//
// It does not own which models there are and whose they are (package
// llm/models), nor the protocols of providers (packages llm/openai and
// llm/anthropic).
package fallback

import (
	"context"
	"log/slog"

	"parley/core/answer"
	"parley/core/answer/prompt"
	"parley/core/fault"
)

// New returns the first model with its fallback, which answers if the first fails, or takes
// too long, before its first text, unless the caller has canceled. After the first text a
// failure is final: two half answers by different models are not one answer.
//
// The usage is the sum of both models' usage. The prompt must suit both: the
// first model counts its tokens, and it fits into the smaller context.
func New(first, fallback answer.Model, log *slog.Logger) answer.Model {
	return pair{first: first, fallback: fallback, log: log}
}

type pair struct {
	first, fallback answer.Model
	log             *slog.Logger
}

// Generate implements [answer.Model].
func (p pair) Generate(ctx context.Context, asked prompt.Prompt, emit func(text string) error) (answer.Generated, error) {
	begun := false
	generated, err := p.first.Generate(ctx, asked, func(text string) error {
		begun = true
		return emit(text)
	})
	if err == nil || begun || ctx.Err() != nil || !suits(asked, p.fallback.Traits()) {
		return generated, err
	}
	p.log.Log(ctx, fault.Level(err), "model failed before its first text; asking the fallback",
		"model", p.first.Name(), "fallback", p.fallback.Name(), "error", err)
	other, err := p.fallback.Generate(ctx, adapted(asked, p.fallback.Traits()), emit)
	other.Usage = other.Usage.Plus(generated.Usage)
	return other, err
}

// Name returns the first model's name.
func (p pair) Name() string { return p.first.Name() }

// Count counts tokens as the first model does.
func (p pair) Count(text string) int { return p.first.Count(text) }

// Traits returns the first model's traits, with the smaller context.
func (p pair) Traits() answer.Traits {
	traits := p.first.Traits()
	if other := p.fallback.Traits().Context; other > 0 && other < traits.Context {
		traits.Context = other
	}
	return traits
}

// Check reports whether one of the two can be reached.
func (p pair) Check(ctx context.Context) error {
	err := p.first.Check(ctx)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if p.fallback.Check(ctx) == nil {
		return nil
	}
	return err
}
