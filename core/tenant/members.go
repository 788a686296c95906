package tenant

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/internal/id"
)

const invitationLifetime = 7 * 24 * time.Hour

// Members returns the members of a workspace, oldest first.
func (s *Service) Members(ctx context.Context, workspaceID string) ([]Member, error) {
	return s.store.Members(ctx, workspaceID)
}

// Invitations returns the open invitations of a workspace.
func (s *Service) Invitations(ctx context.Context, workspaceID string) ([]Invitation, error) {
	return s.store.Invitations(ctx, workspaceID)
}

// Invite returns the code with which a person joins a workspace. By is the
// user who invites: only an owner makes owners.
func (s *Service) Invite(ctx context.Context, workspaceID, by, email string, role Role) (string, error) {
	email, err := checkEmail(email)
	if err != nil {
		return "", err
	}
	code, now := newSecret(s.random), s.now()
	invitation := Invitation{
		ID: id.New(s.random, "inv"), WorkspaceID: workspaceID, Email: email, Role: role, InvitedBy: by,
		CreatedAt: now, ExpiresAt: now.Add(invitationLifetime),
	}
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		members, invitations, err := s.lockMembers(ctx, workspaceID)
		if err != nil {
			return err
		}
		// By's role may have changed since the request began.
		if err := mayInvite(members, invitation); err != nil {
			return err
		}
		for _, m := range members {
			if m.Email == email {
				return &fault.Error{Kind: fault.Conflict, Field: "email", Message: "This person is a member already."}
			}
		}
		for _, old := range invitations {
			if old.Email != email {
				continue
			}
			// A new invitation replaces the old one, whose code ends.
			if err := s.cancel(ctx, old); err != nil {
				return err
			}
		}
		if err := s.store.CreateInvitation(ctx, workspaceID, invitation, hashSecret(code)); err != nil {
			return err
		}
		if err := s.mailInvitation(ctx, members, invitation, code); err != nil {
			return err
		}
		return s.record(ctx, workspaceID, audit.Entry{
			Action: audit.InvitationCreated, Object: invitation.object(),
			Detail: fmt.Sprintf("Invited as %s.", role),
		})
	})
	return code, err
}

// mailInvitation sends the link to whom it is for.
func (s *Service) mailInvitation(ctx context.Context, members []Member, invitation Invitation, code string) error {
	workspace, err := s.store.Workspace(ctx, invitation.WorkspaceID)
	if err != nil {
		return err
	}
	inviter, err := memberOf(members, invitation.InvitedBy)
	if err != nil {
		return err
	}
	return s.tell(ctx, invitation.Email, s.invitationMail(workspace, inviter.Email, code))
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

// CancelInvitation makes an invitation's code worthless.
func (s *Service) CancelInvitation(ctx context.Context, workspaceID, invitationID string) error {
	return s.store.InTx(ctx, func(ctx context.Context) error {
		open, err := s.store.Invitations(ctx, workspaceID)
		if err != nil {
			return err
		}
		for _, invitation := range open {
			if invitation.ID == invitationID {
				return s.cancel(ctx, invitation)
			}
		}
		return fault.New(fault.NotFound, "Invitation not found.")
	})
}

func (s *Service) cancel(ctx context.Context, invitation Invitation) error {
	if err := s.store.DeleteInvitation(ctx, invitation.WorkspaceID, invitation.ID); err != nil {
		return err
	}
	return s.record(ctx, invitation.WorkspaceID, audit.Entry{Action: audit.InvitationCancelled, Object: invitation.object()})
}

// Join makes the person with the code a member and returns their user id. It
// creates the account if there is none with the invitation's address, and
// otherwise asks for that account's password.
func (s *Service) Join(ctx context.Context, code, password string, client Client) (string, error) {
	invitation, err := s.openInvitation(ctx, code)
	if err != nil {
		return "", s.countedCode(ctx, code, client, err)
	}
	user, isNew, err := s.joiner(ctx, invitation.Email, password, client)
	if err != nil {
		return "", err
	}
	ctx = audit.AsPerson(ctx, user.ID, user.Email)
	return user.ID, s.locked(ctx, invitation.WorkspaceID, func(ctx context.Context, _ Workspace) error {
		if err := s.redeem(ctx, invitation); err != nil {
			return err
		}
		if isNew {
			if err := s.insertUser(ctx, user); err != nil {
				return err
			}
		}
		err := s.record(ctx, invitation.WorkspaceID, audit.Entry{Action: audit.InvitationAccepted, Object: invitation.object()})
		if err != nil {
			return err
		}
		return s.AddMember(ctx, invitation.WorkspaceID, user, invitation.Role)
	})
}

func (s *Service) openInvitation(ctx context.Context, code string) (Invitation, error) {
	invitation, err := s.store.InvitationByCode(ctx, hashSecret(code))
	if fault.Is(err, fault.NotFound) || err == nil && !s.now().Before(invitation.ExpiresAt) {
		err = invitationEnded()
	}
	return invitation, err
}

func invitationEnded() error {
	return &fault.Error{
		Kind: fault.Invalid, Field: "code", Cause: ErrInvitation,
		Message: "This invitation is not valid any more. Ask for a new one.",
	}
}

// redeem takes an invitation away that is used, under the workspace's lock. It
// may have been cancelled meanwhile, or its inviter may be over the plan's
// limit and can invite nobody just now.
func (s *Service) redeem(ctx context.Context, invitation Invitation) error {
	members, err := s.store.Members(ctx, invitation.WorkspaceID)
	if err != nil {
		return err
	}
	if invitation.InvitedBy != "" && mayInvite(members, invitation) != nil {
		return invitationEnded()
	}
	err = s.store.DeleteInvitation(ctx, invitation.WorkspaceID, invitation.ID)
	if fault.Is(err, fault.NotFound) {
		return invitationEnded()
	}
	return err
}

// mayInvite refuses an invitation whose inviter may not make it, or may not any
// more.
func mayInvite(members []Member, invitation Invitation) error {
	inviter, err := manager(members, invitation.InvitedBy)
	if err != nil {
		return err
	}
	return mayGrant(inviter.Role, noRole, invitation.Role)
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

// countedCode counts a guess at a code, which was refused with an error.
func (s *Service) countedCode(ctx context.Context, code string, client Client, refused error) error {
	if !fault.Is(refused, fault.Invalid) {
		return refused
	}
	if _, err := s.countAttempt(ctx, signInLimits("join:"+hashSecret(code), client.Address)...); err != nil {
		return err
	}
	return refused
}

// joiner returns the user with the invited address, who proves with the
// password who they are, or a new one. What it tells of the address is counted
// as sign-ups are.
func (s *Service) joiner(ctx context.Context, email, password string, client Client) (user User, isNew bool, err error) {
	counted, err := s.countSignUp(ctx, client)
	if err != nil {
		return User{}, false, err
	}
	user, isNew, err = s.userOrNew(ctx, email, password, client)
	if fault.Is(err, fault.Unauthenticated) {
		return User{}, false, &fault.Error{
			Kind: fault.Invalid, Field: "password", Cause: err,
			Message: "You have an account with this e-mail address. Give its password.",
		}
	}
	if err != nil || !isNew { // nothing was made or found out
		err = errors.Join(err, counted.forgive(context.WithoutCancel(ctx)))
	}
	return user, isNew, err
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

// cancelInvitationsOf ends the open invitations that a member may not make with
// a role, which is none for somebody who goes.
func (s *Service) cancelInvitationsOf(ctx context.Context, member Member, role Role) error {
	open, err := s.store.Invitations(ctx, member.WorkspaceID)
	if err != nil {
		return err
	}
	for _, invitation := range open {
		mayStill := role.May(ManageMembers) == nil && mayGrant(role, noRole, invitation.Role) == nil
		if invitation.InvitedBy != member.UserID || mayStill {
			continue
		}
		if err := s.cancel(ctx, invitation); err != nil {
			return err
		}
	}
	return nil
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
