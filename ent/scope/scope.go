// Package scope carries, in a context, the workspace that a query may touch.
//
// The wall of every tenant's table reads it (see ent/schema): without a scope a query
// or change is refused, with one it is confined to that workspace.
package scope

import (
	"context"
	"errors"
)

// ErrNone refuses what has no scope, or is outside of it.
var ErrNone = errors.New("the context has no workspace that allows this")

type key struct{}

type scope struct {
	workspace string
	system    bool
}

// Workspace confines queries under the returned context to one workspace.
func Workspace(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, key{}, scope{workspace: id})
}

// System lets queries under the returned context see every workspace. Package
// store lists its few uses with their reasons.
func System(ctx context.Context) context.Context {
	return context.WithValue(ctx, key{}, scope{system: true})
}

// From returns the workspace of ctx, or whether ctx is for the whole system.
// Without either ok is false.
func From(ctx context.Context) (workspace string, system, ok bool) {
	s, ok := ctx.Value(key{}).(scope)
	return s.workspace, s.system, ok && (s.system || s.workspace != "")
}
