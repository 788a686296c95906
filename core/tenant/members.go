package tenant

import (
	"context"
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
// role of who invites: only an owner makes owners.
func (s *Service) Invite(ctx context.Context, workspaceID string, by Role, email string, role Role) (string, error) {
	email, err := checkEmail(email)
	if err != nil {
		return "", err
	}
	if err := mayGrant(by, noRole, role); err != nil {
		return "", err
	}
	code, now := newSecret(s.random), s.now()
	invitation := Invitation{
		ID: id.New(s.random, "inv"), WorkspaceID: workspaceID, Email: email, Role: role,
		CreatedAt: now, ExpiresAt: now.Add(invitationLifetime),
	}
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		members, invitations, err := s.lockMembers(ctx, workspaceID)
		if err != nil {
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
		return s.record(ctx, workspaceID, audit.Entry{
			Action: audit.InvitationCreated, Object: invitation.object(),
			Detail: fmt.Sprintf("Invited as %s.", role),
		})
	})
	return code, err
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
	return user.ID, s.store.InTx(ctx, func(ctx context.Context) error {
		if isNew {
			if err := s.insertUser(ctx, user); err != nil {
				return err
			}
		}
		if err := s.store.DeleteInvitation(ctx, invitation.WorkspaceID, invitation.ID); err != nil {
			return err
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
		err = fault.InField("code", "This invitation is not valid any more. Ask for a new one.")
	}
	return invitation, err
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

// joiner returns the user with an address, who proves with the password who
// they are, or a new one.
func (s *Service) joiner(ctx context.Context, email, password string, client Client) (user User, isNew bool, err error) {
	_, err = s.store.UserByEmail(ctx, email)
	if fault.Is(err, fault.NotFound) {
		user, err = s.prepareUser(ctx, email, password, client)
		return user, true, err
	}
	if err != nil {
		return User{}, false, err
	}
	user, err = s.prove(ctx, email, password, client)
	if fault.Is(err, fault.Unauthenticated) {
		err = fault.InField("password", "You have an account with this e-mail address. Give its password.")
	}
	return user, false, err
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

// ChangeRole gives a member another role. By is the role of who asks.
func (s *Service) ChangeRole(ctx context.Context, workspaceID string, by Role, userID string, role Role) error {
	return s.changeMember(ctx, workspaceID, by, userID, role, func(ctx context.Context) error {
		return s.store.SetRole(ctx, workspaceID, userID, role)
	})
}

// RemoveMember takes a member out of a workspace. By is the role of who asks.
func (s *Service) RemoveMember(ctx context.Context, workspaceID string, by Role, userID string) error {
	return s.changeMember(ctx, workspaceID, by, userID, noRole, func(ctx context.Context) error {
		return s.store.RemoveMember(ctx, workspaceID, userID)
	})
}

func (s *Service) changeMember(ctx context.Context, workspaceID string, by Role, userID string, to Role, change func(context.Context) error) error {
	return s.locked(ctx, workspaceID, func(ctx context.Context, workspace Workspace) error {
		members, err := s.store.Members(ctx, workspaceID)
		if err != nil {
			return err
		}
		if err := mayChange(members, by, userID, to); err != nil {
			return err
		}
		if err := change(ctx); err != nil {
			return err
		}
		if err := s.recordMember(ctx, members, userID, to); err != nil {
			return err
		}
		if err := s.tellOfOwner(ctx, workspaceID, firstOwner(members)); err != nil {
			return err
		}
		return s.settle(ctx, workspaceID, workspace.Plan)
	})
}

// recordMember records that a member has another role, or none any more.
func (s *Service) recordMember(ctx context.Context, members []Member, userID string, to Role) error {
	before := members[slices.IndexFunc(members, func(m Member) bool { return m.UserID == userID })]
	entry := audit.Entry{Action: audit.RoleChanged, Object: before.object()}
	if to == noRole {
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

func mayChange(members []Member, by Role, userID string, to Role) error {
	owners, from := 0, noRole
	for _, m := range members {
		if m.Role == RoleOwner {
			owners++
		}
		if m.UserID == userID {
			from = m.Role
		}
	}
	if from == noRole {
		return fault.New(fault.NotFound, "Member not found.")
	}
	if from == RoleOwner && to != RoleOwner && owners == 1 {
		return fault.New(fault.Conflict, "A workspace needs an owner. Make another member the owner first.")
	}
	return mayGrant(by, from, to)
}

// mayGrant refuses a change of a member from one role to another, either of
// which may be none.
func mayGrant(by, from, to Role) error {
	if by != RoleOwner && (from == RoleOwner || to == RoleOwner) {
		return fault.New(fault.Forbidden, "Only an owner can make or change an owner.")
	}
	return nil
}
