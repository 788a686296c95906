package tenant

import "context"

// Audit returns the latest entries of a workspace's audit log, the latest first.
func (s *Service) Audit(ctx context.Context, workspaceID string, limit int) ([]AuditEntry, error) {
	return s.store.Audit(ctx, workspaceID, limit)
}

func (s *Service) audit(ctx context.Context, workspaceID, actor, action, detail string) error {
	return s.store.AddAudit(ctx, workspaceID, AuditEntry{
		WorkspaceID: workspaceID, Actor: actor, Action: action, Detail: detail, At: s.now(),
	})
}
