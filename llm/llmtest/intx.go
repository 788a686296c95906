package llmtest

import (
	"context"
	"errors"

	"parley/core/answer"
	"parley/core/answer/prompt"
	"parley/internal/intx"
)

// ErrInTx is the error of the model that [RefuseInTx] returns.
var ErrInTx = errors.New("llmtest: the model was called inside a database transaction; call it before or after")

// RefuseInTx wraps a model so that it fails with [ErrInTx] when its context
// carries a database transaction.
func RefuseInTx(model answer.Model) answer.Model { return outsideTx{model} }

type outsideTx struct{ answer.Model }

func (m outsideTx) Generate(ctx context.Context, asked prompt.Prompt, emit func(string) error) (answer.Generated, error) {
	if intx.Inside(ctx) {
		return answer.Generated{}, ErrInTx
	}
	return m.Model.Generate(ctx, asked, emit)
}

func (m outsideTx) Check(ctx context.Context) error {
	if intx.Inside(ctx) {
		return ErrInTx
	}
	return m.Model.Check(ctx)
}
