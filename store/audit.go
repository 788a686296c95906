package store

import (
	"context"
	"time"

	"entgo.io/ent/dialect/sql"

	"parley/core/audit"
	"parley/ent"
	"parley/ent/auditentry"
	"parley/ent/predicate"
	"parley/ent/scope"
)

// AuditLog keeps the audit log.
type AuditLog struct{ store *Store }

// NewAuditLog returns the audit log of a database.
func NewAuditLog(db *Store) *AuditLog { return &AuditLog{db} }

// AddAudit appends an entry of the audit log. What concerns no workspace has
// no workspace.
func (s *Store) AddAudit(ctx context.Context, workspaceID string, entry audit.Entry) error {
	scoped := within(ctx, workspaceID)
	if workspaceID == "" {
		scoped = scope.System(ctx)
	}
	return s.write(scoped, func(ctx context.Context, db *ent.Client) error {
		create := db.AuditEntry.Create().SetActor(entry.Actor.Name).SetUserID(entry.Actor.UserID).
			SetAction(string(entry.Action)).SetObjectKind(entry.Object.Kind).SetObjectID(entry.Object.ID).
			SetObjectName(entry.Object.Name).SetDetail(entry.Detail).
			SetAddress(entry.Origin.Address).SetRequestID(entry.Origin.RequestID).SetAt(entry.At)
		if workspaceID != "" {
			create.SetWorkspaceID(workspaceID)
		}
		if len(entry.Changes) > 0 {
			create.SetChanges(fromChanges(entry.Changes))
		}
		return create.Exec(ctx)
	})
}

// Audit returns a page of a workspace's entries, the latest first.
func (s *AuditLog) Audit(ctx context.Context, workspaceID string, filter audit.Filter) ([]audit.Entry, error) {
	where := []predicate.AuditEntry{auditentry.WorkspaceID(workspaceID)}
	if len(filter.Actions) > 0 {
		names := make([]string, len(filter.Actions))
		for i, action := range filter.Actions {
			names[i] = string(action)
		}
		where = append(where, auditentry.ActionIn(names...))
	}
	if filter.Actor != "" {
		where = append(where, auditentry.Actor(filter.Actor))
	}
	if !filter.Since.IsZero() {
		where = append(where, auditentry.AtGTE(filter.Since))
	}
	if !filter.Until.IsZero() {
		where = append(where, auditentry.AtLT(filter.Until))
	}
	if filter.Before > 0 {
		where = append(where, auditentry.IDLT(filter.Before))
	}
	rows, err := s.store.db(ctx).AuditEntry.Query().Where(where...).
		Order(auditentry.ByID(sql.OrderDesc())).Limit(filter.Limit).All(within(ctx, workspaceID))
	return mapped(rows, err, entryFromRow)
}

// AuditEntries returns a page of all workspaces' entries, the latest first.
func (s *AuditLog) AuditEntries(ctx context.Context, query audit.Query) ([]audit.Entry, error) {
	var where []predicate.AuditEntry
	if query.WorkspaceID != "" {
		where = append(where, auditentry.WorkspaceID(query.WorkspaceID))
	}
	if !query.Since.IsZero() {
		where = append(where, auditentry.AtGTE(query.Since))
	}
	if query.Before > 0 {
		where = append(where, auditentry.IDLT(query.Before))
	}
	rows, err := s.store.db(ctx).AuditEntry.Query().Where(where...).
		Order(auditentry.ByID(sql.OrderDesc())).Limit(query.Limit).All(scope.System(ctx))
	return mapped(rows, err, entryFromRow)
}

// deleteAudit takes its rows in portions, so that other writers need not wait.
const deleteAudit = `DELETE FROM audit_entries WHERE id IN (SELECT id FROM audit_entries WHERE at < $1 ORDER BY at LIMIT $2)`

// DeleteAudit deletes up to limit entries from before a time, the oldest first,
// and reports whether it deleted that many.
func (s *AuditLog) DeleteAudit(ctx context.Context, before time.Time, limit int) (more bool, err error) {
	err = s.store.inWrite(ctx, func(ctx context.Context) error {
		result, err := s.store.raw(ctx).ExecContext(ctx, deleteAudit, before, limit)
		if err != nil {
			return err
		}
		deleted, err := result.RowsAffected()
		more = deleted == int64(limit)
		return err
	})
	return more, mapError(err)
}

func entryFromRow(row *ent.AuditEntry) audit.Entry {
	entry := audit.Entry{
		ID: row.ID, WorkspaceID: row.WorkspaceID, At: row.At.UTC(), Action: audit.Action(row.Action), Detail: row.Detail,
		Actor:  audit.Actor{UserID: row.UserID, Name: row.Actor},
		Object: audit.Object{Kind: row.ObjectKind, ID: row.ObjectID, Name: row.ObjectName},
		Origin: audit.Origin{Address: row.Address, RequestID: row.RequestID},
	}
	for _, change := range row.Changes {
		entry.Changes = append(entry.Changes, audit.Change{Field: change["field"], Old: change["old"], New: change["new"]})
	}
	return entry
}

func fromChanges(changes []audit.Change) []map[string]string {
	rows := make([]map[string]string, len(changes))
	for i, change := range changes {
		rows[i] = map[string]string{"field": change.Field, "old": change.Old, "new": change.New}
	}
	return rows
}
