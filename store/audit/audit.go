// Package audit reads the audit log, verifies its chains and lets time take from them. What
// writes it is in package store, since each transaction ends with it.
package audit

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/system"
	ent "parley/ent/generated"
	"parley/ent/generated/auditentry"
	"parley/ent/generated/predicate"
	"parley/ent/scope"
	"parley/store"
)

// AuditLog keeps the audit log.
type AuditLog struct{ store *store.Store }

// NewAuditLog returns the audit log of a database.
func NewAuditLog(db *store.Store) *AuditLog { return &AuditLog{db} }

// Audit returns a page of a workspace's entries, the latest first.
func (s *AuditLog) Audit(ctx context.Context, workspaceID string, filter audit.Filter) ([]audit.Entry, error) {
	rows, err := s.store.Client(ctx).AuditEntry.Query().Where(chosen(workspaceID, filter)...).
		Order(auditentry.ByID(sql.OrderDesc())).Limit(filter.Limit).All(scope.Workspace(ctx, workspaceID))
	return store.Mapped(rows, err, entryFromRow)
}

// CountAudit counts the entries that a filter chooses of a workspace, whatever its limit.
func (s *AuditLog) CountAudit(ctx context.Context, workspaceID string, filter audit.Filter) (int, error) {
	n, err := s.store.Client(ctx).AuditEntry.Query().Where(chosen(workspaceID, filter)...).Count(scope.Workspace(ctx, workspaceID))
	return n, store.MapError(err)
}

// chosen are the conditions of a filter.
func chosen(workspaceID string, filter audit.Filter) []predicate.AuditEntry {
	where := []predicate.AuditEntry{auditentry.WorkspaceID(workspaceID)}
	if len(filter.Actions) > 0 {
		names := make([]string, len(filter.Actions))
		for i, action := range filter.Actions {
			names[i] = string(action)
		}
		where = append(where, auditentry.ActionIn(names...))
	}
	for _, has := range []struct {
		text string
		be   func(string) predicate.AuditEntry
	}{
		{filter.Actor, auditentry.Actor},
		{filter.ObjectKind, auditentry.ObjectKind},
		{filter.ObjectID, auditentry.ObjectID},
		{filter.Address, auditentry.Address},
		{filter.RequestID, auditentry.RequestID},
	} {
		if has.text != "" {
			where = append(where, has.be(has.text))
		}
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
	return where
}

// AuditEntries returns a page of all workspaces' entries, the latest first.
func (s *AuditLog) AuditEntries(ctx context.Context, access system.Access, query audit.Query) ([]audit.Entry, error) {
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
	rows, err := s.store.Client(ctx).AuditEntry.Query().Where(where...).
		Order(auditentry.ByID(sql.OrderDesc())).Limit(query.Limit).All(scope.System(ctx, access))
	return store.Mapped(rows, err, entryFromRow)
}

func entryFromRow(row *ent.AuditEntry) audit.Entry {
	entry := audit.Entry{
		ID: row.ID, WorkspaceID: row.WorkspaceID, At: row.At.UTC(), Action: audit.Action(row.Action), Detail: row.Detail,
		Actor:  audit.Actor{UserID: row.UserID, Name: row.Actor},
		Object: audit.Object{Kind: row.ObjectKind, ID: row.ObjectID, Name: row.ObjectName},
		Origin: audit.Origin{Address: row.Address, RequestID: row.RequestID},
		Seq:    row.Seq, Hash: row.Hash, AddressSalt: row.AddressSalt, AddressHash: row.AddressHash, Version: row.Version,
	}
	for _, change := range row.Changes {
		entry.Changes = append(entry.Changes, audit.Change{Field: change["field"], Old: change["old"], New: change["new"]})
	}
	return entry
}

// PretendAudit reads the head of the chain of what concerns no workspace twice, and writes
// it as it is: an entry takes as many statements.
func (s *AuditLog) PretendAudit(ctx context.Context) error {
	ctx = store.ChainScope(ctx, audit.Unplaced)
	_, err := s.store.LockChain(ctx, audit.Unplaced)
	if fault.Is(store.MapError(err), fault.NotFound) { // nothing was recorded so far
		return nil
	}
	if err != nil {
		return store.MapError(err)
	}
	head, err := s.store.LockChain(ctx, audit.Unplaced)
	if err != nil {
		return store.MapError(err)
	}
	_, err = s.store.MoveChain(ctx, head)
	return store.MapError(err)
}
