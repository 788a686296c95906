package tenant

import (
	"context"
	"fmt"
	"slices"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
)

// Members returns the members of a workspace, oldest first.
func (s *Service) Members(ctx context.Context, workspaceID string) ([]Member, error) {
	return s.store.Members(ctx, workspaceID)
}

// lockMembers admits one more member and returns those there are.
func (s *Service) lockMembers(ctx context.Context, workspaceID string) ([]Member, []Invitation, error) {
	workspace, err := s.store.LockWorkspace(ctx, workspaceID)
	if err != nil {
		return nil, nil, err
	}
	members, err := s.store.Members(ctx, workspaceID)
	if err != nil {
		return nil, nil, err
	}
	invitations, err := s.store.Invitations(ctx, workspaceID)
	if err != nil {
		return nil, nil, err
	}
	p, err := s.store.Plan(ctx, workspace.Plan)
	if err != nil {
		return nil, nil, err
	}
	return members, invitations, p.Admit(plan.Members, len(members)+len(invitations)+1)
}

// manager returns the member who is a user, if they may manage members.
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

// AddMember makes a user a member of a workspace.
func (s *Service) AddMember(ctx context.Context, workspaceID string, user User, role Role) error {
	return s.store.InTx(ctx, func(ctx context.Context) error {
		if _, _, err := s.lockMembers(ctx, workspaceID); err != nil {
			return err
		}
		member := Member{WorkspaceID: workspaceID, UserID: user.ID, Email: user.Email, Role: role, CreatedAt: s.now()}
		if err := s.store.AddMember(ctx, workspaceID, member); err != nil {
			return err
		}
		err := s.record(ctx, workspaceID, audit.Entry{
			Action: audit.MemberJoined, Object: member.object(), Detail: fmt.Sprintf("Joined as %s.", role),
		})
		if err != nil {
			return err
		}
		return s.Settle(ctx, workspaceID)
	})
}

// ChangeRole gives a member another role. By is the user who asks.
func (s *Service) ChangeRole(ctx context.Context, workspaceID, by, userID string, role Role) error {
	return s.changeMember(ctx, workspaceID, userID, role, func(members []Member, member Member) error {
		return mayManage(members, by, member, role)
	})
}

// RemoveMember takes a member out of a workspace. By is the user who asks.
func (s *Service) RemoveMember(ctx context.Context, workspaceID, by, userID string) error {
	return s.changeMember(ctx, workspaceID, userID, noRole, func(members []Member, member Member) error {
		return mayManage(members, by, member, noRole)
	})
}

// Leave takes a user out of a workspace who wants to go. The API tokens that
// they created stay with the workspace.
func (s *Service) Leave(ctx context.Context, workspaceID, userID string) error {
	return s.changeMember(ctx, workspaceID, userID, noRole, func([]Member, Member) error { return nil })
}

// changeMember gives a member another role, or none, if may does not refuse it.
// Invitations that the member may not make any more end with it.
func (s *Service) changeMember(ctx context.Context, workspaceID, userID string, to Role, may func([]Member, Member) error) error {
	return s.locked(ctx, workspaceID, func(ctx context.Context, workspace Workspace) error {
		members, err := s.store.Members(ctx, workspaceID)
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
		if err := s.setRole(ctx, member, to); err != nil {
			return err
		}
		if err := s.cancelInvitationsOf(ctx, member, to); err != nil {
			return err
		}
		if err := s.recordMember(ctx, member, to); err != nil {
			return err
		}
		if err := s.tellOfOwner(ctx, workspaceID, firstOwner(members)); err != nil {
			return err
		}
		return s.settle(ctx, workspaceID, workspace.Plan)
	})
}

func (s *Service) setRole(ctx context.Context, member Member, to Role) error {
	if to == noRole {
		return s.store.RemoveMember(ctx, member.WorkspaceID, member.UserID)
	}
	return s.store.SetRole(ctx, member.WorkspaceID, member.UserID, to)
}

// recordMember records that a member has another role, or none any more.
func (s *Service) recordMember(ctx context.Context, before Member, to Role) error {
	entry := audit.Entry{Action: audit.RoleChanged, Object: before.object()}
	switch {
	case to == noRole && audit.ActorOf(ctx).UserID == before.UserID:
		entry.Action = audit.MemberLeft
	case to == noRole:
		entry.Action = audit.MemberRemoved
	}
	entry.Changes = []audit.Change{{Field: "role", Old: string(before.Role), New: string(to)}}
	return s.record(ctx, before.WorkspaceID, entry)
}

// tellOfOwner sees to it that Stripe learns of another first owner.
func (s *Service) tellOfOwner(ctx context.Context, workspaceID string, before Member) error {
	members, err := s.store.Members(ctx, workspaceID)
	if err != nil || firstOwner(members).UserID == before.UserID {
		return err
	}
	return s.customerIsStale(ctx, workspaceID)
}

// needsOwner refuses to take the last owner away.
func needsOwner(members []Member, member Member, to Role) error {
	owners := 0
	for _, m := range members {
		if m.Role == RoleOwner {
			owners++
		}
	}
	if member.Role == RoleOwner && to != RoleOwner && owners == 1 {
		return fault.New(fault.Conflict, "A workspace needs an owner. Make another member the owner first.")
	}
	return nil
}

// mayManage refuses a change of a member by a user whose role does not allow
// it. Their role may have changed since the request began.
func mayManage(members []Member, by string, member Member, to Role) error {
	user, err := manager(members, by)
	if err != nil {
		return err
	}
	return mayGrant(user.Role, member.Role, to)
}

// mayGrant refuses a change of a member from one role to another, either of
// which may be none.
func mayGrant(by, from, to Role) error {
	if by != RoleOwner && (from == RoleOwner || to == RoleOwner) {
		return fault.New(fault.Forbidden, "Only an owner can make or change an owner.")
	}
	return nil
}
