package chatbot

import (
	"context"

	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
)

// Settler says which chatbots, members and tokens of a workspace are over the
// limits of its plan; package tenant is one. It joins the transaction of ctx,
// and writes nothing where nothing changes.
type Settler interface {
	Settle(ctx context.Context, workspaceID string) error
}

var (
	errChatbotSuspended = fault.New(fault.Forbidden, "This chatbot is suspended because the workspace's plan includes fewer chatbots. An owner can choose which ones stay active, or upgrade the plan.").Named(fault.Suspended)
	errTokenSuspended   = fault.New(fault.Forbidden, "This API token is suspended because the workspace's plan includes fewer tokens for each chatbot. An owner can choose which ones stay active, or upgrade the plan.").Named(fault.Suspended)
)

// Writable refuses, as Forbidden, to change a chatbot that is over the limit of
// its workspace's plan, or to add to what it knows. It can only be read and
// deleted, and its tokens revoked.
func (b Chatbot) Writable() error {
	if b.OverLimit {
		return errChatbotSuspended
	}
	return nil
}

// admit refuses, as Forbidden, a principal whose plan has no API access, or
// who is over one of its limits.
func (p *Principal) admit() error {
	if err := p.Plan.Admit(plan.API, 1); err != nil {
		return err
	}
	if err := p.Chatbot.Writable(); err != nil {
		return err
	}
	if p.Token.OverLimit {
		return errTokenSuspended
	}
	return nil
}

// change runs do in a transaction, and settles what is over the plan's limits
// after it. The workspace is locked before anything is written: to settle is
// to write to chatbots and tokens, and two changes that lock them in different
// orders would wait for each other.
func (s base) change(ctx context.Context, workspaceID string, do func(ctx context.Context, workspace tenant.Workspace) error) error {
	return s.db.Tx.InTx(ctx, func(ctx context.Context) error {
		workspace, err := s.db.Workspaces.LockWorkspace(ctx, workspaceID)
		if err != nil {
			return err
		}
		if err := do(ctx, workspace); err != nil {
			return err
		}
		return s.settler.Settle(ctx, workspaceID)
	})
}
