package tenant

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/outbox"
	"parley/core/system"
	"parley/internal/id"
)

const invitationLifetime = 7 * 24 * time.Hour

// ErrInvitation is the cause of the fault of a code without an open invitation.
var ErrInvitation = errors.New("no open invitation")

// Invitation lets the person with its code join a workspace.
type Invitation struct {
	ID          string
	WorkspaceID string
	Email       string
	Role        Role
	// InvitedBy is the id of the user who created it, empty if that was not recorded.
	// It ends when they lose the right to create it.
	InvitedBy string
	ExpiresAt time.Time
	CreatedAt time.Time
}

// object describes an invitation as the object of an action.
func (i Invitation) object() audit.Object {
	return audit.Object{Kind: "invitation", ID: i.ID, Name: i.Email}
}

// InvitationStore stores invitations.
type InvitationStore interface {
	CreateInvitation(ctx context.Context, workspaceID string, invitation Invitation, codeHash string) error
	Invitations(ctx context.Context, workspaceID string) ([]Invitation, error)
	// InvitationByCode finds an invitation of any workspace.
	InvitationByCode(ctx context.Context, access system.Access, codeHash string) (Invitation, error)
	DeleteInvitation(ctx context.Context, workspaceID, id string) error
	// DeleteExpiredInvitations removes those that have expired by a time.
	DeleteExpiredInvitations(ctx context.Context, access system.Access, now time.Time) error
}

// Invitations lets people join a workspace.
type Invitations struct {
	db         Database
	workspaces *Workspaces
	members    *Members
	signUps    *account.SignUps
	addresses  *account.Addresses
	throttle   *account.Throttle
	mails      *outbox.Writer
	now        func() time.Time
	random     io.Reader
}

// List returns the open invitations of a workspace.
func (i *Invitations) List(ctx context.Context, workspaceID string) ([]Invitation, error) {
	return i.db.Invitations.Invitations(ctx, workspaceID)
}

// Invite returns the code with which a person joins a workspace. By is the user who invites:
// only an owner can invite owners.
func (i *Invitations) Invite(ctx context.Context, workspaceID, by, email string, role Role) (string, error) {
	email, err := account.CheckEmail(email)
	if err != nil {
		return "", err
	}
	code, now := id.Secret(i.random), i.now()
	invitation := Invitation{
		ID: id.New(i.random, "inv"), WorkspaceID: workspaceID, Email: email, Role: role, InvitedBy: by,
		CreatedAt: now, ExpiresAt: now.Add(invitationLifetime),
	}
	err = i.db.Tx.InTx(ctx, func(ctx context.Context) error {
		members, invitations, err := i.members.admitOne(ctx, workspaceID)
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
			// A new invitation replaces the old one, whose code stops working.
			if err := cancelInvitation(ctx, i.db, i.now(), old); err != nil {
				return err
			}
		}
		if err := i.db.Invitations.CreateInvitation(ctx, workspaceID, invitation, id.Hash(code)); err != nil {
			return err
		}
		if err := i.mail(ctx, members, invitation, code); err != nil {
			return err
		}
		return audit.Record(ctx, i.db.Audit, workspaceID, i.now(), audit.Entry{
			Action: audit.InvitationCreated, Object: invitation.object(),
			Detail: fmt.Sprintf("Invited as %s.", role),
		})
	})
	return code, err
}

// mail sends the link to the invited person, whom nobody asked whether they want mails.
func (i *Invitations) mail(ctx context.Context, members []Member, invitation Invitation, code string) error {
	if !i.mails.On() {
		return nil
	}
	if err := i.throttle.CountInvitation(ctx, invitation.Email, invitation.InvitedBy); err != nil {
		return err
	}
	workspace, err := i.db.Workspaces.Workspace(ctx, invitation.WorkspaceID)
	if err != nil {
		return err
	}
	inviter, err := memberOf(members, invitation.InvitedBy)
	if err != nil {
		return err
	}
	return i.mails.Write(ctx, invitation.Email, i.letter(workspace, inviter.Email, code))
}

// Cancel invalidates an invitation's code.
func (i *Invitations) Cancel(ctx context.Context, workspaceID, invitationID string) error {
	return i.db.Tx.InTx(ctx, func(ctx context.Context) error {
		open, err := i.db.Invitations.Invitations(ctx, workspaceID)
		if err != nil {
			return err
		}
		for _, invitation := range open {
			if invitation.ID == invitationID {
				return cancelInvitation(ctx, i.db, i.now(), invitation)
			}
		}
		return fault.New(fault.NotFound, "Invitation not found.")
	})
}

// cancelInvitation deletes an invitation and records that.
func cancelInvitation(ctx context.Context, db Database, now time.Time, invitation Invitation) error {
	if err := db.Invitations.DeleteInvitation(ctx, invitation.WorkspaceID, invitation.ID); err != nil {
		return err
	}
	return audit.Record(ctx, db.Audit, invitation.WorkspaceID, now, audit.Entry{Action: audit.InvitationCanceled, Object: invitation.object()})
}

// Join makes the person with the code a member and returns their user id. If the invitation's
// address has no account, Join creates it; otherwise it requires that account's password. An
// invitation that was mailed confirms the address; without mails the inviter has seen the code.
func (i *Invitations) Join(ctx context.Context, code, password string, client account.Client) (string, error) {
	invitation, err := i.open(ctx, code)
	if err != nil {
		return "", i.throttle.CountCode(ctx, code, client, err)
	}
	user, isNew, err := i.signUps.Joiner(ctx, invitation.Email, password, client)
	if err != nil {
		return "", err
	}
	if now := i.now(); isNew && i.mails.On() {
		user.EmailConfirmedAt = &now
	}
	ctx = audit.AsPerson(ctx, user.ID, user.Email)
	return user.ID, i.workspaces.Locked(ctx, invitation.WorkspaceID, func(ctx context.Context, _ Workspace) error {
		if err := i.redeem(ctx, invitation); err != nil {
			return err
		}
		if isNew {
			if err := i.signUps.Insert(ctx, user); err != nil {
				return err
			}
		} else if i.mails.On() {
			if err := i.addresses.Confirm(ctx, user); err != nil {
				return err
			}
		}
		err := audit.Record(ctx, i.db.Audit, invitation.WorkspaceID, i.now(), audit.Entry{Action: audit.InvitationAccepted, Object: invitation.object()})
		if err != nil {
			return err
		}
		return i.members.Add(ctx, invitation.WorkspaceID, user, invitation.Role)
	})
}

// Accept makes a user a member who has an open invitation to a workspace and has proved,
// in another way than by its code, that its address is theirs. It reports whether there
// was one, and runs in the transaction of ctx.
func (i *Invitations) Accept(ctx context.Context, workspaceID string, user account.User) (bool, error) {
	open, err := i.db.Invitations.Invitations(ctx, workspaceID)
	if err != nil {
		return false, err
	}
	for _, invitation := range open {
		if invitation.Email != user.Email || !i.now().Before(invitation.ExpiresAt) {
			continue
		}
		if err := i.redeem(ctx, invitation); fault.Is(err, fault.Invalid) { // its inviter may not invite
			continue
		} else if err != nil {
			return false, err
		}
		err := audit.Record(ctx, i.db.Audit, workspaceID, i.now(), audit.Entry{Action: audit.InvitationAccepted, Object: invitation.object()})
		if err != nil {
			return false, err
		}
		return true, i.members.Add(ctx, workspaceID, user, invitation.Role)
	}
	return false, nil
}

func (i *Invitations) open(ctx context.Context, code string) (Invitation, error) {
	invitation, err := i.db.Invitations.InvitationByCode(ctx, i.db.System, id.Hash(code))
	if fault.Is(err, fault.NotFound) || err == nil && !i.now().Before(invitation.ExpiresAt) {
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

// redeem deletes a used invitation, under the workspace's lock. It may have been canceled
// meanwhile, or its inviter may be over the plan's limit and cannot invite anybody right now.
func (i *Invitations) redeem(ctx context.Context, invitation Invitation) error {
	members, err := i.db.Members.Members(ctx, invitation.WorkspaceID)
	if err != nil {
		return err
	}
	if invitation.InvitedBy != "" && mayInvite(members, invitation) != nil {
		return invitationEnded()
	}
	err = i.db.Invitations.DeleteInvitation(ctx, invitation.WorkspaceID, invitation.ID)
	if fault.Is(err, fault.NotFound) {
		return invitationEnded()
	}
	return err
}

// mayInvite refuses an invitation whose inviter may not, or may no longer, create it.
func mayInvite(members []Member, invitation Invitation) error {
	inviter, err := manager(members, invitation.InvitedBy)
	if err != nil {
		return err
	}
	return mayGrant(inviter.Role, noRole, invitation.Role)
}

// DeleteExpired removes expired invitations.
func (i *Invitations) DeleteExpired(ctx context.Context) error {
	return i.db.Invitations.DeleteExpiredInvitations(ctx, i.db.System, i.now())
}

func (i *Invitations) letter(workspace Workspace, inviter, code string) outbox.Letter {
	return outbox.Letter{
		Subject: "You are invited to " + workspace.ShortName(),
		Says:    []string{fmt.Sprintf("%s invites you to the workspace %s. Join it here within a week:", inviter, workspace.Name)},
		Link:    outbox.Link{Text: "Join the workspace", URL: i.mails.Link("/join#" + code)},
		Then:    []string{"If you didn't expect this, ignore this e-mail."},
	}
}
