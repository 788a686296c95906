package people

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/system"
	"parley/core/tenant"
	ent "parley/ent/generated"
	"parley/ent/generated/member"
	"parley/ent/generated/user"
	"parley/ent/scope"
	"parley/store"
)

// Members keeps the members of workspaces.
type Members struct{ store *store.Store }

// NewMembers returns the members of a database.
func NewMembers(db *store.Store) *Members { return &Members{db} }

// Memberships returns the workspaces of a user, oldest first.
func (s *Members) Memberships(ctx context.Context, access system.Access, userID string) ([]tenant.Membership, error) {
	rows, err := s.store.Client(ctx).Member.Query().Where(member.UserID(userID)).WithWorkspace().
		Order(member.ByCreatedAt(), member.ByID()).All(scope.System(ctx, access))
	return store.Mapped(rows, err, func(row *ent.Member) tenant.Membership {
		return tenant.Membership{
			Workspace: store.WorkspaceFromRow(row.Edges.Workspace), Role: tenant.Role(row.Role), OverLimit: row.OverLimit,
		}
	})
}

// LockMemberships makes other callers of it for the same user wait until the
// transaction ends. On SQLite the transaction itself does.
func (s *Members) LockMemberships(ctx context.Context, userID string) error {
	if s.store.IsSQLite() {
		return nil
	}
	_, err := s.store.Client(ctx).User.Query().Where(user.ID(userID)).ForUpdate(entsql.WithLockClause("FOR NO KEY UPDATE")).Only(ctx)
	return store.MapError(err)
}

// Members returns the members of a workspace, oldest first.
func (s *Members) Members(ctx context.Context, workspaceID string) ([]tenant.Member, error) {
	rows, err := s.store.Client(ctx).Member.Query().Where(member.WorkspaceID(workspaceID)).WithUser().
		Order(member.ByCreatedAt(), member.ByID()).All(scope.Workspace(ctx, workspaceID))
	return store.Mapped(rows, err, memberFromRow)
}

// AddMember adds a member.
func (s *Members) AddMember(ctx context.Context, workspaceID string, m tenant.Member) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Member.Create().SetWorkspaceID(workspaceID).SetUserID(m.UserID).SetRole(string(m.Role)).
			SetCreatedAt(m.CreatedAt).Exec(ctx)
	})
}

// SetRole changes a member's role.
func (s *Members) SetRole(ctx context.Context, workspaceID, userID string, role tenant.Role) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.Member.Update().Where(member.UserID(userID)).SetRole(string(role)).Save(ctx))
	})
}

// RemoveMember removes a member.
func (s *Members) RemoveMember(ctx context.Context, workspaceID, userID string) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.Member.Delete().Where(member.UserID(userID)).Exec(ctx))
	})
}

func memberFromRow(row *ent.Member) tenant.Member {
	return tenant.Member{
		WorkspaceID: row.WorkspaceID, UserID: row.UserID, Email: row.Edges.User.Email,
		Role: tenant.Role(row.Role), OverLimit: row.OverLimit, CreatedAt: row.CreatedAt.UTC(),
	}
}
