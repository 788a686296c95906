package people

import (
	"context"
	"time"

	"parley/core/system"
	"parley/core/tenant"
	ent "parley/ent/generated"
	"parley/ent/generated/invitation"
	"parley/ent/scope"
	"parley/store"
)

// Invitations keeps invitations.
type Invitations struct{ store *store.Store }

// NewInvitations returns the invitations of a database.
func NewInvitations(db *store.Store) *Invitations { return &Invitations{db} }

// CreateInvitation adds an invitation.
func (s *Invitations) CreateInvitation(ctx context.Context, workspaceID string, i tenant.Invitation, codeHash string) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Invitation.Create().SetID(i.ID).SetWorkspaceID(workspaceID).SetEmail(i.Email).SetRole(string(i.Role)).
			SetCodeHash(codeHash).SetInvitedBy(i.InvitedBy).SetExpiresAt(i.ExpiresAt).SetCreatedAt(i.CreatedAt).Exec(ctx)
	})
}

// Invitations returns the invitations of a workspace, oldest first.
func (s *Invitations) Invitations(ctx context.Context, workspaceID string) ([]tenant.Invitation, error) {
	rows, err := s.store.Client(ctx).Invitation.Query().Where(invitation.WorkspaceID(workspaceID)).
		Order(invitation.ByCreatedAt(), invitation.ByID()).All(scope.Workspace(ctx, workspaceID))
	return store.Mapped(rows, err, invitationFromRow)
}

// InvitationByCode finds an invitation of any workspace.
func (s *Invitations) InvitationByCode(ctx context.Context, access system.Access, codeHash string) (tenant.Invitation, error) {
	row, err := s.store.Client(ctx).Invitation.Query().Where(invitation.CodeHash(codeHash)).Only(scope.System(ctx, access))
	return store.One(row, err, invitationFromRow)
}

// DeleteInvitation removes an invitation.
func (s *Invitations) DeleteInvitation(ctx context.Context, workspaceID, id string) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.Invitation.Delete().Where(invitation.ID(id)).Exec(ctx))
	})
}

// DeleteExpiredInvitations removes those that have ended.
func (s *Invitations) DeleteExpiredInvitations(ctx context.Context, access system.Access, now time.Time) error {
	return s.store.Expire(scope.System(ctx, access), "invitations", "expires_at < $1", now)
}

func invitationFromRow(row *ent.Invitation) tenant.Invitation {
	return tenant.Invitation{
		ID: row.ID, WorkspaceID: row.WorkspaceID, Email: row.Email, Role: tenant.Role(row.Role), InvitedBy: row.InvitedBy,
		ExpiresAt: row.ExpiresAt.UTC(), CreatedAt: row.CreatedAt.UTC(),
	}
}
