package store

import (
	"cmp"
	"context"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/ent"
	"parley/ent/invitation"
	"parley/ent/member"
	"parley/ent/scope"
	"parley/ent/workspace"
)

// CreateWorkspace adds a workspace. One of which it is not said which plan was
// granted has been given the one that it has.
func (s *Store) CreateWorkspace(ctx context.Context, w tenant.Workspace) error {
	return s.write(within(ctx, w.ID), func(ctx context.Context, db *ent.Client) error {
		return db.Workspace.Create().SetID(w.ID).SetName(w.Name).SetPlan(string(w.Plan)).
			SetGrantedPlan(string(cmp.Or(w.Granted, w.Plan))).SetCreatedAt(w.CreatedAt).Exec(ctx)
	})
}

// Workspace returns one workspace.
func (s *Store) Workspace(ctx context.Context, workspaceID string) (tenant.Workspace, error) {
	row, err := s.db(ctx).Workspace.Get(within(ctx, workspaceID), workspaceID)
	return foundWorkspace(row, err)
}

// LockWorkspace is Workspace, and makes others wait until the transaction
// ends. SQLite has one writer, who need not wait for himself.
func (s *Store) LockWorkspace(ctx context.Context, workspaceID string) (tenant.Workspace, error) {
	query := s.db(ctx).Workspace.Query().Where(workspace.ID(workspaceID))
	if s.dialect == dialect.Postgres {
		// Not FOR UPDATE, which would keep those waiting who only refer to the
		// workspace, as the first question of a month does.
		query = query.ForUpdate(entsql.WithLockClause("FOR NO KEY UPDATE"))
	}
	row, err := query.Only(within(ctx, workspaceID))
	return foundWorkspace(row, err)
}

func foundWorkspace(row *ent.Workspace, err error) (tenant.Workspace, error) {
	if ent.IsNotFound(err) {
		return tenant.Workspace{}, fault.New(fault.NotFound, "Workspace not found.")
	}
	return one(row, err, toWorkspace)
}

// Workspaces returns all workspaces, oldest first.
func (s *Store) Workspaces(ctx context.Context) ([]tenant.Workspace, error) {
	rows, err := s.db(ctx).Workspace.Query().Order(workspace.ByCreatedAt(), workspace.ByID()).All(scope.System(ctx))
	return mapped(rows, err, toWorkspace)
}

// SetPlan writes the plan in force, and the one that was given by hand.
func (s *Store) SetPlan(ctx context.Context, workspaceID string, inForce, granted plan.Name) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return affected(db.Workspace.Update().Where(workspace.ID(workspaceID)).
			SetPlan(string(inForce)).SetGrantedPlan(string(granted)).Save(ctx))
	})
}

// SetGrantEnd writes when the plan that was given by hand ends, or that it does
// not.
func (s *Store) SetGrantEnd(ctx context.Context, workspaceID string, until *time.Time) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		update := db.Workspace.Update().Where(workspace.ID(workspaceID)).SetNillableGrantedUntil(until)
		if until == nil {
			update.ClearGrantedUntil()
		}
		return affected(update.Save(ctx))
	})
}

// EndedGrants returns the workspaces whose grant's end is now or was before.
func (s *Store) EndedGrants(ctx context.Context, now time.Time) ([]string, error) {
	workspaceIDs, err := s.db(ctx).Workspace.Query().Where(workspace.GrantedUntilLTE(now)).
		Order(workspace.ByGrantedUntil(), workspace.ByID()).Select(workspace.FieldID).Strings(scope.System(ctx))
	return workspaceIDs, mapError(err)
}

// KeepConversations says how long those of before a time are kept at least.
func (s *Store) KeepConversations(ctx context.Context, workspaceID string, before time.Time, days int) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		row, err := db.Workspace.Get(ctx, workspaceID)
		if err != nil {
			return err
		}
		if row.KeptBefore != nil && (row.KeptDays == plan.Unlimited || days != plan.Unlimited && row.KeptDays > days) {
			days = row.KeptDays
		}
		return row.Update().SetKeptBefore(before).SetKeptDays(days).Exec(ctx)
	})
}

// DeleteWorkspace deletes it with all that is in it. Its receipts come last: by
// then no answer of it is left that could get one.
func (s *Store) DeleteWorkspace(ctx context.Context, workspaceID string) error {
	return s.InTx(within(ctx, workspaceID), func(ctx context.Context) error {
		db := s.db(ctx)
		if err := affected(db.Workspace.Delete().Where(workspace.ID(workspaceID)).Exec(ctx)); err != nil {
			return mapError(err)
		}
		_, err := db.Receipt.Delete().Exec(ctx) // those of its scope
		return mapError(err)
	})
}

// Members returns the members of a workspace, oldest first.
func (s *Store) Members(ctx context.Context, workspaceID string) ([]tenant.Member, error) {
	rows, err := s.db(ctx).Member.Query().Where(member.WorkspaceID(workspaceID)).WithUser().
		Order(member.ByCreatedAt(), member.ByID()).All(within(ctx, workspaceID))
	return mapped(rows, err, toMember)
}

// AddMember adds a member.
func (s *Store) AddMember(ctx context.Context, workspaceID string, m tenant.Member) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Member.Create().SetWorkspaceID(workspaceID).SetUserID(m.UserID).SetRole(string(m.Role)).
			SetCreatedAt(m.CreatedAt).Exec(ctx)
	})
}

// SetRole changes a member's role.
func (s *Store) SetRole(ctx context.Context, workspaceID, userID string, role tenant.Role) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return affected(db.Member.Update().Where(member.UserID(userID)).SetRole(string(role)).Save(ctx))
	})
}

// RemoveMember removes a member.
func (s *Store) RemoveMember(ctx context.Context, workspaceID, userID string) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return affected(db.Member.Delete().Where(member.UserID(userID)).Exec(ctx))
	})
}

// CreateInvitation adds an invitation.
func (s *Store) CreateInvitation(ctx context.Context, workspaceID string, i tenant.Invitation, codeHash string) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Invitation.Create().SetID(i.ID).SetWorkspaceID(workspaceID).SetEmail(i.Email).SetRole(string(i.Role)).
			SetCodeHash(codeHash).SetInvitedBy(i.InvitedBy).SetExpiresAt(i.ExpiresAt).SetCreatedAt(i.CreatedAt).Exec(ctx)
	})
}

// Invitations returns the invitations of a workspace, oldest first.
func (s *Store) Invitations(ctx context.Context, workspaceID string) ([]tenant.Invitation, error) {
	rows, err := s.db(ctx).Invitation.Query().Where(invitation.WorkspaceID(workspaceID)).
		Order(invitation.ByCreatedAt(), invitation.ByID()).All(within(ctx, workspaceID))
	return mapped(rows, err, toInvitation)
}

// InvitationByCode finds an invitation of any workspace.
func (s *Store) InvitationByCode(ctx context.Context, codeHash string) (tenant.Invitation, error) {
	row, err := s.db(ctx).Invitation.Query().Where(invitation.CodeHash(codeHash)).Only(scope.System(ctx))
	return one(row, err, toInvitation)
}

// DeleteInvitation removes an invitation.
func (s *Store) DeleteInvitation(ctx context.Context, workspaceID, id string) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return affected(db.Invitation.Delete().Where(invitation.ID(id)).Exec(ctx))
	})
}

func toWorkspace(row *ent.Workspace) tenant.Workspace {
	return tenant.Workspace{
		ID: row.ID, Name: row.Name, Plan: plan.Name(row.Plan), Granted: plan.Name(row.GrantedPlan),
		GrantedUntil: utc(row.GrantedUntil), CreatedAt: row.CreatedAt.UTC(),
	}
}

func toMember(row *ent.Member) tenant.Member {
	return tenant.Member{
		WorkspaceID: row.WorkspaceID, UserID: row.UserID, Email: row.Edges.User.Email,
		Role: tenant.Role(row.Role), OverLimit: row.OverLimit, CreatedAt: row.CreatedAt.UTC(),
	}
}

func toInvitation(row *ent.Invitation) tenant.Invitation {
	return tenant.Invitation{
		ID: row.ID, WorkspaceID: row.WorkspaceID, Email: row.Email, Role: tenant.Role(row.Role), InvitedBy: row.InvitedBy,
		ExpiresAt: row.ExpiresAt.UTC(), CreatedAt: row.CreatedAt.UTC(),
	}
}
