// Package intx marks a context that lives inside a database transaction, so
// that the doubles of network services can refuse to be called there.
package intx

import "context"

type key struct{}

// Mark returns a context that [Inside] reports.
func Mark(ctx context.Context) context.Context {
	return context.WithValue(ctx, key{}, true)
}

// Inside reports whether ctx lives inside a database transaction.
func Inside(ctx context.Context) bool {
	marked, _ := ctx.Value(key{}).(bool)
	return marked
}
