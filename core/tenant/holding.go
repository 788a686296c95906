package tenant

import (
	"context"
	"iter"
	"time"

	"parley/core/plan"
	"parley/core/system"
)

// Holding is a chatbot, member or API token that counts toward a plan's limits.
type Holding struct {
	// Resource is plan.Chatbots, plan.Members or plan.Tokens.
	Resource plan.Resource
	plan.Holding
	// ChatbotID is the chatbot of a token.
	ChatbotID string
	// ExpiresAt is when a token expires, nil if never.
	ExpiresAt *time.Time
	// Replaces is the token that was rolled into this one, or empty.
	Replaces string
	// Name is its name for people.
	Name string
	// OverLimit says that the plan includes fewer, and that this one
	// is suspended.
	OverLimit bool
}

// Holdings suspends what is over the limits of a workspace's plan, and says how much of the
// plan is in use.
type Holdings struct {
	db         Database
	workspaces *Workspaces
	now        func() time.Time
}

// Settling says of a workspace whether there may be something to settle.
type Settling struct {
	WorkspaceID string
	Plan        plan.Name
	// Maybe is false if nothing is suspended, and there is no more than the plan
	// includes.
	Maybe bool
	// Holdings are those that count for a workspace where there may be something, as
	// [HoldingStore] has them.
	Holdings []Holding
}

// HoldingStore stores what a plan's limit suspends.
type HoldingStore interface {
	// Holdings returns a workspace's chatbots, members and tokens that were not revoked,
	// the oldest of each first. They include expired tokens, because the caller knows
	// the time. The id of a member is the user's; the owner who joined first is vital.
	Holdings(ctx context.Context, workspaceID string) ([]Holding, error)
	// Settling reads all workspaces, a portion at a time with what those hold that may
	// have something to settle.
	Settling(ctx context.Context, access system.Access) iter.Seq2[Settling, error]
	// SetOverLimit marks the holdings with the ids as over the limit, and all others of
	// the resource as within it.
	SetOverLimit(ctx context.Context, workspaceID string, resource plan.Resource, ids []string) error
	// SetKept says which of a resource an owner wants to stay, and that the
	// others may be
	// suspended.
	SetKept(ctx context.Context, workspaceID string, resource plan.Resource, ids []string) error
}
