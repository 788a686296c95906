package tenant

import (
	"context"
	"fmt"
	"slices"
	"time"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
)

// Members manages who belongs to a workspace, and with which role.
type Members struct {
	db         Database
	workspaces *Workspaces
	holdings   *Holdings
	subscriber OwnerSubscriber
	now        func() time.Time
}

// OwnerSubscriber learns of a new first owner of a workspace, in the transaction that makes the
// change; package subscription implements it.
type OwnerSubscriber interface {
	OwnerChanges(ctx context.Context, workspaceID string) error
}

// List returns the members of a workspace, oldest first.
func (m *Members) List(ctx context.Context, workspaceID string) ([]Member, error) {
	return m.db.Members.Members(ctx, workspaceID)
}

// admitOne admits one more member and returns the existing ones.
func (m *Members) admitOne(ctx context.Context, workspaceID string) ([]Member, []Invitation, error) {
	workspace, err := m.db.Workspaces.LockWorkspace(ctx, workspaceID)
	if err != nil {
		return nil, nil, err
	}
	members, err := m.db.Members.Members(ctx, workspaceID)
	if err != nil {
		return nil, nil, err
	}
	invitations, err := m.db.Invitations.Invitations(ctx, workspaceID)
	if err != nil {
		return nil, nil, err
	}
	p, err := m.db.Plans.Plan(ctx, workspace.Plan)
	if err != nil {
		return nil, nil, err
	}
	return members, invitations, p.Admit(plan.Members, len(members)+len(invitations)+1)
}

// manager returns a user's member if they may manage members.
func manager(members []Member, userID string) (Member, error) {
	member, err := memberOf(members, userID)
	if err != nil {
		return Member{}, err
	}
	return member, Membership{Role: member.Role, OverLimit: member.OverLimit}.May(ManageMembers)
}

func memberOf(members []Member, userID string) (Member, error) {
	at := slices.IndexFunc(members, func(m Member) bool { return m.UserID == userID })
	if at < 0 {
		return Member{}, fault.New(fault.NotFound, "Member not found.")
	}
	return members[at], nil
}

// Add makes a user a member of a workspace.
func (m *Members) Add(ctx context.Context, workspaceID string, user account.User, role Role) error {
	return m.db.Tx.InTx(ctx, func(ctx context.Context) error {
		if _, _, err := m.admitOne(ctx, workspaceID); err != nil {
			return err
		}
		member := Member{WorkspaceID: workspaceID, UserID: user.ID, Email: user.Email, Role: role, CreatedAt: m.now()}
		if err := m.db.Members.AddMember(ctx, workspaceID, member); err != nil {
			return err
		}
		err := audit.Record(ctx, m.db.Audit, workspaceID, m.now(), audit.Entry{
			Action: audit.MemberJoined, Object: member.object(), Detail: fmt.Sprintf("Joined as %s.", role),
		})
		if err != nil {
			return err
		}
		return m.holdings.Settle(ctx, workspaceID)
	})
}

// ChangeRole changes a member's role. By is the user who requests it.
func (m *Members) ChangeRole(ctx context.Context, workspaceID, by, userID string, role Role) error {
	return m.change(ctx, workspaceID, userID, role, func(members []Member, member Member) error {
		return mayManage(members, by, member, role)
	})
}

// Remove removes a member from a workspace. By is the user who requests it.
func (m *Members) Remove(ctx context.Context, workspaceID, by, userID string) error {
	return m.change(ctx, workspaceID, userID, noRole, func(members []Member, member Member) error {
		return mayManage(members, by, member, noRole)
	})
}

// Leave removes a user from a workspace at their own request. The API tokens that they created
// stay with the workspace.
func (m *Members) Leave(ctx context.Context, workspaceID, userID string) error {
	return m.change(ctx, workspaceID, userID, noRole, func([]Member, Member) error { return nil })
}

// change changes a member's role, or removes the member, unless may refuses it.
// Invitations that the member may no longer create end with it.
func (m *Members) change(ctx context.Context, workspaceID, userID string, to Role, may func([]Member, Member) error) error {
	return m.workspaces.Locked(ctx, workspaceID, func(ctx context.Context, workspace Workspace) error {
		members, err := m.db.Members.Members(ctx, workspaceID)
		if err != nil {
			return err
		}
		member, err := memberOf(members, userID)
		if err != nil {
			return err
		}
		if err := needsOwner(members, member, to); err != nil {
			return err
		}
		if err := may(members, member); err != nil {
			return err
		}
		if err := m.setRole(ctx, member, to); err != nil {
			return err
		}
		if err := m.cancelInvitationsOf(ctx, member, to); err != nil {
			return err
		}
		if err := m.record(ctx, member, to); err != nil {
			return err
		}
		if err := m.tellOfOwner(ctx, workspaceID, FirstOwner(members)); err != nil {
			return err
		}
		return m.holdings.SettleFor(ctx, workspaceID, workspace.Plan)
	})
}

func (m *Members) setRole(ctx context.Context, member Member, to Role) error {
	if to == noRole {
		return m.db.Members.RemoveMember(ctx, member.WorkspaceID, member.UserID)
	}
	return m.db.Members.SetRole(ctx, member.WorkspaceID, member.UserID, to)
}

// record records that a member has another role, or was removed.
func (m *Members) record(ctx context.Context, before Member, to Role) error {
	entry := audit.Entry{Action: audit.RoleChanged, Object: before.object()}
	switch {
	case to == noRole && audit.ActorOf(ctx).UserID == before.UserID:
		entry.Action = audit.MemberLeft
	case to == noRole:
		entry.Action = audit.MemberRemoved
	}
	entry.Changes = []audit.Change{{Field: "role", Old: string(before.Role), New: string(to)}}
	return audit.Record(ctx, m.db.Audit, before.WorkspaceID, m.now(), entry)
}

// tellOfOwner reports a new first owner to the subscriber.
func (m *Members) tellOfOwner(ctx context.Context, workspaceID string, before Member) error {
	members, err := m.db.Members.Members(ctx, workspaceID)
	if err != nil || FirstOwner(members).UserID == before.UserID {
		return err
	}
	return m.subscriber.OwnerChanges(ctx, workspaceID)
}

// needsOwner refuses to remove the last owner.
func needsOwner(members []Member, member Member, to Role) error {
	owners := 0
	for _, other := range members {
		if other.Role == RoleOwner {
			owners++
		}
	}
	if member.Role == RoleOwner && to != RoleOwner && owners == 1 {
		return fault.New(fault.Conflict, "A workspace needs an owner. Make another member an owner first.")
	}
	return nil
}

// mayManage refuses a change of a member by a user whose role does not allow it. Their role may
// have changed since the request began.
func mayManage(members []Member, by string, member Member, to Role) error {
	user, err := manager(members, by)
	if err != nil {
		return err
	}
	return mayGrant(user.Role, member.Role, to)
}

// mayGrant refuses a change of a member from one role to another, either of which may be none.
func mayGrant(by, from, to Role) error {
	if by != RoleOwner && (from == RoleOwner || to == RoleOwner) {
		return fault.New(fault.Forbidden, "Only an owner can make or change an owner.")
	}
	return nil
}

// cancelInvitationsOf ends the open invitations that a member may not create with a role, which
// is none for somebody who leaves.
func (m *Members) cancelInvitationsOf(ctx context.Context, member Member, role Role) error {
	open, err := m.db.Invitations.Invitations(ctx, member.WorkspaceID)
	if err != nil {
		return err
	}
	for _, invitation := range open {
		mayStill := role.May(ManageMembers) == nil && mayGrant(role, noRole, invitation.Role) == nil
		if invitation.InvitedBy != member.UserID || mayStill {
			continue
		}
		if err := cancelInvitation(ctx, m.db, m.now(), invitation); err != nil {
			return err
		}
	}
	return nil
}
