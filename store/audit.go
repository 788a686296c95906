package store

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/tenant"
	"parley/ent"
	"parley/ent/auditentry"
)

// AddAudit writes an entry of the audit log.
func (s *Store) AddAudit(ctx context.Context, workspaceID string, entry tenant.AuditEntry) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.AuditEntry.Create().SetWorkspaceID(workspaceID).SetActor(entry.Actor).SetAction(entry.Action).
			SetDetail(entry.Detail).SetAt(entry.At).Exec(ctx)
	})
}

// Audit returns the latest entries, the latest first.
func (s *Store) Audit(ctx context.Context, workspaceID string, limit int) ([]tenant.AuditEntry, error) {
	rows, err := s.db(ctx).AuditEntry.Query().Where(auditentry.WorkspaceID(workspaceID)).
		Order(auditentry.ByID(entsql.OrderDesc())).Limit(limit).All(within(ctx, workspaceID))
	return mapped(rows, err, func(row *ent.AuditEntry) tenant.AuditEntry {
		return tenant.AuditEntry{
			WorkspaceID: row.WorkspaceID, Actor: row.Actor, Action: row.Action, Detail: row.Detail, At: row.At.UTC(),
		}
	})
}
