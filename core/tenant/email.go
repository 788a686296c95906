package tenant

import (
	"cmp"
	"context"
	"slices"

	"parley/core/audit"
	"parley/core/fault"
)

// ChangeEmail gives a user another address, with which they sign in from then
// on, and ends their sessions. Their password proves who they are. Stripe learns
// of it for the workspaces that it knows by the user's address. Where there are
// mails, the address changes once its owner has followed a link (ConfirmEmail),
// and whether it has an account already is told to nobody else.
func (s *Service) ChangeEmail(ctx context.Context, userID, password, email string, client Client) error {
	email, err := checkEmail(email)
	if err != nil {
		return err
	}
	user, err := s.confirm(ctx, userID, password, client)
	if err != nil || email == user.Email {
		return err
	}
	if err := s.countMail(ctx, email, client); err != nil {
		return err
	}
	if s.options.Mails {
		return s.requestEmail(ctx, user, email)
	}
	return s.setEmail(ctx, user, email)
}

// setEmail writes the address and what follows from it in one transaction.
func (s *Service) setEmail(ctx context.Context, user User, email string) error {
	ctx = audit.AsPerson(ctx, user.ID, user.Email)
	return s.store.InTx(ctx, func(ctx context.Context) error {
		memberships, err := s.store.Memberships(ctx, user.ID)
		if err != nil {
			return err
		}
		// Locks are taken in one order, or two who change theirs at once
		// could wait for each other.
		slices.SortFunc(memberships, func(a, b Membership) int { return cmp.Compare(a.Workspace.ID, b.Workspace.ID) })
		for _, m := range memberships {
			if err := s.tellOfEmail(ctx, m, user, email); err != nil {
				return err
			}
		}
		err = s.store.SetEmail(ctx, user.ID, email)
		if fault.Is(err, fault.Conflict) {
			return &fault.Error{
				Kind: fault.Conflict, Field: "email",
				Message: "There is an account with this e-mail address already. Choose another.",
			}
		}
		if err != nil {
			return err
		}
		if err := s.store.DeleteSessions(ctx, user.ID); err != nil {
			return err
		}
		if err := s.store.DeleteAddressCodes(ctx, user.ID); err != nil {
			return err
		}
		if err := s.tell(ctx, user.Email, s.movedMail(email)); err != nil {
			return err
		}
		return s.record(ctx, "", audit.Entry{
			Action: audit.EmailChanged, Object: account(user),
			Changes: []audit.Change{{Field: "email", Old: user.Email, New: email}},
		})
	})
}

// tellOfEmail notes the change in a workspace that is known by the address.
func (s *Service) tellOfEmail(ctx context.Context, m Membership, user User, email string) error {
	if m.Role != RoleOwner {
		return nil
	}
	return s.locked(ctx, m.Workspace.ID, func(ctx context.Context, workspace Workspace) error {
		members, err := s.store.Members(ctx, workspace.ID)
		if err != nil || firstOwner(members).UserID != user.ID {
			return err
		}
		if err := s.customerIsStale(ctx, workspace.ID); err != nil {
			return err
		}
		return s.recordChange(ctx, workspace.ID, audit.EmailChanged, "The owner's address is now "+email+".")
	})
}
