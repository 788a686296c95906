package tenant

import (
	"context"

	"parley/core/audit"
)

// DeleteWorkspace deletes a workspace with all that is in the database of it, but for the
// audit log, which is the operator's.
// Who calls it has cancelled the subscription at Stripe, and let the index
// forget the chatbots.
func (s *Service) DeleteWorkspace(ctx context.Context, workspaceID string) error {
	return s.locked(ctx, workspaceID, func(ctx context.Context, workspace Workspace) error {
		if err := s.store.DeleteWorkspace(ctx, workspaceID); err != nil {
			return err
		}
		return s.record(ctx, workspaceID, audit.Entry{Action: audit.WorkspaceDeleted, Object: workspace.object()})
	})
}
