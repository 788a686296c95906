package fallback

import (
	"context"

	"parley/core/answer/prompt"
	"parley/core/chat"
)

// Guard returns a model that is asked only while its provider is not left
// alone. Otherwise it fails at once with an Upstream fault that says when to
// try again.
func Guard(model chat.Model, breaker *Breaker) chat.Model { return guarded{model, breaker} }

type guarded struct {
	chat.Model
	breaker *Breaker
}

// Generate is that of [chat.Model].
func (g guarded) Generate(ctx context.Context, asked prompt.Prompt, emit func(text string) error) (chat.Generated, error) {
	attempt, admitted := g.breaker.admit()
	if !admitted {
		return chat.Generated{Model: g.Name()}, g.breaker.left()
	}
	defer attempt.abandon() // of a panic, so that a trial is not waited for for ever
	var refused error       // by emit, which is the caller's
	generated, err := g.Model.Generate(ctx, asked, func(text string) error {
		attempt.answers()
		refused = emit(text)
		return refused
	})
	switch {
	case err == nil:
		attempt.answers()
	case refused == nil && ctx.Err() == nil:
		attempt.fails(err)
	}
	return generated, err
}
