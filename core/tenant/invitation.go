package tenant

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/internal/id"
)

const invitationLifetime = 7 * 24 * time.Hour

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
				return &fault.Error{Kind: fault.Conflict, Field: "email", Message: "This person is already a member."}
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
		Message: "This invitation is no longer valid. Ask for a new one.",
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
			Message: "You already have an account with this e-mail address. Enter its password.",
		}
	}
	if err != nil || !isNew { // nothing was made or found out
		err = errors.Join(err, counted.forgive(context.WithoutCancel(ctx)))
	}
	return user, isNew, err
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
