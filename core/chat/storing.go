package chat

import (
	"context"
	"errors"
	"time"

	"parley/core/fault"
)

// StoreWithin bounds the storing of a question or an answer, which continues
// when the caller leaves.
const StoreWithin = 10 * time.Second

// Storing returns a context that does not end with the caller's. If a commit is
// broken off, nobody learns whether it happened, and the conversation stays busy
// until the lease ends.
func Storing(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), StoreWithin)
}

// endWithin bounds the storing of an answer that waits its turn behind many others.
// Unlike a question, it cannot be asked for again at no cost.
const endWithin = time.Minute

// StoringEnd is [Storing] for the end of an answer.
func StoringEnd(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), endWithin)
}

// TimedOut gives the error of a store that did not answer in time its kind.
func TimedOut(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.Wrap(fault.Unavailable, err, "The database is not available right now, and the operator of this server has been told. Try again.").ForOperator()
	}
	return err
}
