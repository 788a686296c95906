package subscription

import (
	"context"
	"fmt"

	"parley/core/tenant"
)

// Deletions deletes workspaces.
type Deletions struct {
	db         Database
	workspaces *tenant.Workspaces
	stripeOff  bool
}

// DeleteWorkspace deletes a workspace with all its data in the database except the audit log,
// which belongs to the operator. The caller has canceled the subscription at Stripe, and has
// removed the chatbots from the index. If Stripe is switched off, the log's entry names a
// subscription that nobody could cancel.
func (d *Deletions) DeleteWorkspace(ctx context.Context, workspaceID string) error {
	return d.workspaces.Locked(ctx, workspaceID, func(ctx context.Context, workspace tenant.Workspace) error {
		paid, err := d.db.subscriptionOf(ctx, workspaceID)
		if err != nil {
			return err
		}
		detail := ""
		if d.stripeOff && paid.ID != "" && !paid.Status.Terminal() {
			detail = fmt.Sprintf("Its subscription %s was not canceled: Stripe is switched off here. Cancel it at Stripe.", paid.ID)
		}
		return d.workspaces.Delete(ctx, workspace, detail)
	})
}
