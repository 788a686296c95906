package tenant

import (
	"context"
	"iter"
	"time"

	"parley/core/audit"
)

// AuditStore keeps the audit log.
type AuditStore interface {
	audit.Log
	// Audit returns a workspace's latest entries of some actions, the latest
	// first.
	Audit(ctx context.Context, workspaceID string, actions []audit.Action, limit int) ([]audit.Entry, error)
	// AuditEntries returns a page of all workspaces' entries, the latest first.
	AuditEntries(ctx context.Context, query audit.Query) ([]audit.Entry, error)
	// DeleteAudit deletes up to limit entries of before a time, and reports
	// whether there may be more.
	DeleteAudit(ctx context.Context, before time.Time, limit int) (more bool, err error)
}

// planActions are what an owner reads about the plan.
var planActions = []audit.Action{audit.PlanChanged, audit.SubscriptionChanged, audit.LimitsChosen, audit.EmailChanged, audit.CustomerUnlinked}

// PlanHistory returns what was last done to a workspace's plan, the latest
// first.
func (s *Service) PlanHistory(ctx context.Context, workspaceID string, limit int) ([]audit.Entry, error) {
	return s.store.Audit(ctx, workspaceID, planActions, limit)
}

// auditPage is how many entries are read, and deleted, at once.
const auditPage = 500

// AuditLog yields the audit log of a workspace, which may have been deleted, or
// of all when workspaceID is empty: what happened since a time, the latest
// first. It is for the operator. An error ends it.
func (s *Service) AuditLog(ctx context.Context, workspaceID string, since time.Time) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		query := audit.Query{WorkspaceID: workspaceID, Since: since, Limit: auditPage}
		for {
			page, err := s.store.AuditEntries(ctx, query)
			if err != nil {
				yield(audit.Entry{}, err)
				return
			}
			for _, entry := range page {
				if !yield(entry, nil) {
					return
				}
				query.Before = entry.ID
			}
			if len(page) < auditPage {
				return
			}
		}
	}
}

// ForgetAudit deletes the entries of before a time.
func (s *Service) ForgetAudit(ctx context.Context, before time.Time) error {
	for {
		more, err := s.store.DeleteAudit(ctx, before, auditPage)
		if err != nil || !more {
			return err
		}
	}
}

// record writes an entry into the audit log. The actor is the context's.
func (s *Service) record(ctx context.Context, workspaceID string, entry audit.Entry) error {
	return audit.Record(ctx, s.store, workspaceID, s.now(), entry)
}

// recordChange is record for what is told in a sentence.
func (s *Service) recordChange(ctx context.Context, workspaceID string, action audit.Action, detail string) error {
	return s.record(ctx, workspaceID, audit.Entry{Action: action, Object: audit.Object{Kind: "workspace", ID: workspaceID}, Detail: detail})
}

// account is a user as the object of an act.
func account(user User) audit.Object {
	return audit.Object{Kind: "account", ID: user.ID, Name: user.Email}
}

// object is a member as the object of an act.
func (m Member) object() audit.Object {
	return audit.Object{Kind: "member", ID: m.UserID, Name: m.Email}
}

// object is an invitation as the object of an act.
func (i Invitation) object() audit.Object {
	return audit.Object{Kind: "invitation", ID: i.ID, Name: i.Email}
}

// object is a workspace as the object of an act.
func (w Workspace) object() audit.Object {
	return audit.Object{Kind: "workspace", ID: w.ID, Name: w.Name}
}

// WasHere reports whether a workspace is or was one of this database, as far
// back as the audit log goes.
func (s *Service) WasHere(ctx context.Context, workspaceID string) (bool, error) {
	found, err := s.store.AuditEntries(ctx, audit.Query{WorkspaceID: workspaceID, Limit: 1})
	return len(found) > 0, err
}
