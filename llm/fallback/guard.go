package fallback

import (
	"context"

	"parley/core/answer"
	"parley/core/answer/prompt"
)

// Guard returns a model that calls its provider only if the breaker admits it.
// Otherwise it fails at once with an Upstream fault that says when to try again.
func Guard(model answer.Model, breaker *Breaker) answer.Model { return guarded{model, breaker} }

type guarded struct {
	answer.Model
	breaker *Breaker
}

// Generate implements [answer.Model].
func (g guarded) Generate(ctx context.Context, asked prompt.Prompt, emit func(text string) error) (answer.Generated, error) {
	attempt, admitted := g.breaker.admit()
	if !admitted {
		return answer.Generated{Model: g.Name()}, g.breaker.paused()
	}
	defer attempt.abandon() // after a panic, so that nobody waits for the trial forever
	var refused error       // the error of emit, the caller's function
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
