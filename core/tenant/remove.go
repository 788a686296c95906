package tenant

import "context"

// DeleteWorkspace deletes a workspace with all that is in the database of it.
// Who calls it has cancelled the subscription at Stripe, and let the index
// forget the chatbots.
func (s *Service) DeleteWorkspace(ctx context.Context, workspaceID string) error {
	return s.locked(ctx, workspaceID, func(ctx context.Context, _ Workspace) error {
		return s.store.DeleteWorkspace(ctx, workspaceID)
	})
}
