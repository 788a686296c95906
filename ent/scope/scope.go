// Package scope carries, in a context, the workspace that a query may touch.
//
// The wall of every tenant's table reads it (see ent/schema): without a scope a query
// or change is refused, with one it is confined to that workspace.
package scope

import (
	"context"
	"errors"

	"parley/core/system"
)

// ErrNone refuses what has no scope, or is outside of it.
var ErrNone = errors.New("the context has no workspace that allows this")

type key struct{}

// Scope is whose rows a query may touch: a workspace's, or else everybody's or nobody's.
type Scope struct {
	Workspace string
	// System says that it may touch the rows of every workspace, and Unplaced that it may
	// touch those of none.
	System, Unplaced bool
}

// Workspace confines queries under the returned context to one workspace.
func Workspace(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, key{}, Scope{Workspace: id})
}

// Unplaced confines queries under the returned context to rows that belong to no workspace.
func Unplaced(ctx context.Context) context.Context {
	return context.WithValue(ctx, key{}, Scope{Unplaced: true})
}

// System lets queries under the returned context see every workspace, if the access was
// granted.
func System(ctx context.Context, access system.Access) context.Context {
	return context.WithValue(ctx, key{}, Scope{System: access.Reason() != ""})
}

// From returns the scope of ctx, and whether it has one.
func From(ctx context.Context) (Scope, bool) {
	s, ok := ctx.Value(key{}).(Scope)
	return s, ok && s != Scope{}
}
