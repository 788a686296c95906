package tenant

import (
	"context"
	"time"

	"parley/core/plan"
)

// Holding is a chatbot, member or API token, as far as a plan's limits go.
type Holding struct {
	// Resource is plan.Chatbots, plan.Members or plan.Tokens.
	Resource plan.Resource
	plan.Holding
	// ChatbotID is the one of a token.
	ChatbotID string
	// ExpiresAt is that of a token, nil if it never expires.
	ExpiresAt *time.Time
	// Replaces is the token that was rolled into this one, or empty.
	Replaces string
	// Name is what people call it.
	Name string
	// OverLimit says that the plan includes fewer, and that this one
	// is suspended.
	OverLimit bool
}

// Holdings suspends what is over the limits of a workspace's plan, and says how
// much of the plan is in use.
type Holdings struct {
	db         Database
	workspaces *Workspaces
	now        func() time.Time
}

// HoldingStore keeps what is over the limit of a plan.
type HoldingStore interface {
	// Holdings returns a workspace's chatbots, members and tokens that were not
	// revoked, the oldest of each first. Expired tokens are among them: who
	// asks knows what time it is. The id of a member is the user's; the
	// owner who joined first is vital.
	Holdings(ctx context.Context, workspaceID string) ([]Holding, error)
	// SetOverLimit says of those of the ids which are over the limit, and of
	// all others of the resource that they are not.
	SetOverLimit(ctx context.Context, workspaceID string, resource plan.Resource, ids []string) error
	// SetKept says which of a resource an owner wants to stay, and that the
	// others may be
	// suspended.
	SetKept(ctx context.Context, workspaceID string, resource plan.Resource, ids []string) error
}
