package tenant

import (
	"context"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
)

// Unlink makes a workspace forget its customer at Stripe and all that was read
// of it, and returns the plan in force afterwards: what was granted, else the
// free plan. Nothing is deleted, nothing changes at Stripe, and the workspace
// can buy again, as another customer. It has no second trial. It is a Conflict
// for a workspace without a customer.
func (s *Service) Unlink(ctx context.Context, workspaceID string) (plan.Name, error) {
	inForce := plan.Free
	err := s.locked(ctx, workspaceID, func(ctx context.Context, workspace Workspace) error {
		before, err := s.Subscription(ctx, workspaceID)
		if err != nil {
			return err
		}
		if before.CustomerID == "" {
			return fault.New(fault.Conflict, "This workspace has no customer at Stripe.")
		}
		// Whoever is reading at Stripe at this moment must not write it back.
		after := Subscription{WorkspaceID: workspaceID, TrialUsed: before.TrialUsed, Revision: before.Revision + 1, Access: plan.Access{Plan: plan.Free}}
		if err := s.store.SaveSubscription(ctx, workspaceID, after); err != nil {
			return err
		}
		inForce = plan.Higher(workspace.Granted, plan.Free)
		if inForce != workspace.Plan {
			if err := s.putInForce(ctx, workspace, inForce, workspace.Granted); err != nil {
				return err
			}
		}
		detail := "The workspace was unlinked from Stripe's customer " + before.CustomerID + "." + describeMove(workspace.Plan, inForce)
		return s.recordChange(ctx, workspaceID, audit.CustomerUnlinked, detail)
	})
	return inForce, err
}
