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

// TimedOut gives the error of a store that did not answer in time its kind.
func TimedOut(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.Wrap(fault.Unavailable, err, "The database is not available right now. Try again.")
	}
	return err
}
