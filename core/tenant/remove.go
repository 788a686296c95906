package tenant

import (
	"context"
	"fmt"

	"parley/core/audit"
)

// DeleteWorkspace deletes a workspace with all that is in the database of it, but for the
// audit log, which is the operator's.
// Who calls it has cancelled the subscription at Stripe, and let the index
// forget the chatbots. Where Stripe is switched off the entry of the log names
// a subscription that nobody could cancel.
func (s *Service) DeleteWorkspace(ctx context.Context, workspaceID string) error {
	return s.locked(ctx, workspaceID, func(ctx context.Context, workspace Workspace) error {
		paid, err := s.Subscription(ctx, workspaceID)
		if err != nil {
			return err
		}
		if err := s.store.DeleteWorkspace(ctx, workspaceID); err != nil {
			return err
		}
		entry := audit.Entry{Action: audit.WorkspaceDeleted, Object: workspace.object()}
		if s.options.StripeOff && paid.ID != "" && !paid.Status.Terminal() {
			entry.Detail = fmt.Sprintf("Its subscription %s was not cancelled: Stripe is switched off here. Cancel it at Stripe.", paid.ID)
		}
		return s.record(ctx, workspaceID, entry)
	})
}
