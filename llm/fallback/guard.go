package fallback

import (
	"context"

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
func (g guarded) Generate(ctx context.Context, prompt chat.Prompt, emit func(text string) error) (chat.Generated, error) {
	attempt, admitted := g.breaker.admit()
	if !admitted {
		return chat.Generated{Model: g.Name()}, g.breaker.left()
	}
	settled := false
	defer func() { // also of a panic, so that a trial is not waited for for ever
		if !settled {
			attempt.abandon()
		}
	}()
	var refused error // by emit, which is the caller's
	generated, err := g.Model.Generate(ctx, prompt, func(text string) error {
		attempt.answers()
		refused = emit(text)
		return refused
	})
	if settled = refused == nil && (err == nil || ctx.Err() == nil); settled {
		attempt.end(err)
	}
	return generated, err
}
