package account

import (
	"context"
	"fmt"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/outbox"
)

// Addresses changes people's e-mail addresses.
type Addresses struct {
	db         Database
	subscriber emailSubscriber
	mails      *outbox.Writer
	throttle   *Throttle
	passwords  *Passwords
	codes      *codes
	now        func() time.Time
}

// emailSubscriber learns of a user's new address in the transaction that writes it;
// package subscription implements it.
type emailSubscriber interface {
	EmailChanges(ctx context.Context, user User, email string) error
}

// Change requests another address with which a user signs in, who shows who they are. The address changes after somebody has followed its link
// ([Addresses.ConfirmEmail]), and only they learn whether it already has an account.
func (a *Addresses) Change(ctx context.Context, userID string, shown Evidence, email string, client Client) error {
	email, err := CheckEmail(email)
	if err != nil {
		return err
	}
	user, err := a.passwords.Confirm(ctx, userID, shown, client)
	if err != nil || email == user.Email {
		return err
	}
	if err := a.throttle.countMail(ctx, email, client); err != nil {
		return err
	}
	if a.mails.On() {
		return a.codes.mail(ctx, AddressCode{Email: email, UserID: user.ID}, letters{unknown: a.newLetter, known: a.takenLetter})
	}
	return a.codes.offerInTx(ctx, email, user.ID, a.newLetter)
}

// SendAgain gives a user another link that confirms their address. It does nothing if
// the address is confirmed.
func (a *Addresses) SendAgain(ctx context.Context, user User, client Client) error {
	if user.EmailConfirmed() {
		return nil
	}
	if err := a.throttle.countMail(ctx, user.Email, client); err != nil {
		return err
	}
	return a.codes.offerInTx(ctx, user.Email, user.ID, confirmLetter(a.mails))
}

// Vouch confirms the address of a user on the operator's word.
func (a *Addresses) Vouch(ctx context.Context, email string) error {
	user, err := a.db.Users.UserByEmail(ctx, normalEmail(email))
	if err != nil || user.EmailConfirmed() {
		return err
	}
	return a.db.Tx.InTx(ctx, func(ctx context.Context) error { return a.Confirm(ctx, user) })
}

// Confirm records, in the transaction of ctx, that a user reads the mail of their
// address.
func (a *Addresses) Confirm(ctx context.Context, user User) error {
	if user.EmailConfirmed() {
		return nil
	}
	if err := a.db.Users.SetEmail(ctx, user.ID, user.Email, a.now()); err != nil {
		return err
	}
	return audit.Record(ctx, a.db.Audit, "", a.now(), audit.Entry{Action: audit.EmailConfirmed, Object: user.object()})
}

// ConfirmEmail confirms the address of a code for the user who has it or requested
// it, and returns them as they were. Another address than the user's replaces that, and
// ends their sessions.
func (a *Addresses) ConfirmEmail(ctx context.Context, code string, client Client) (user User, changed bool, err error) {
	checked, err := a.codes.open(ctx, code, forAddress, client)
	if err == nil && checked.UserID == "" {
		err = linkEnded()
	}
	if err != nil {
		return User{}, false, err
	}
	user, err = a.db.Users.User(ctx, checked.UserID)
	if err != nil {
		return User{}, false, err
	}
	changed = checked.Email != user.Email
	ctx = audit.AsPerson(ctx, user.ID, user.Email)
	return user, changed, a.db.Tx.InTx(ctx, func(ctx context.Context) error {
		if err := a.codes.redeem(ctx, checked); err != nil {
			return err
		}
		if changed {
			return a.setEmail(ctx, user, checked.Email)
		}
		return a.Confirm(ctx, user)
	})
}

// setEmail writes the address and its consequences in one transaction.
func (a *Addresses) setEmail(ctx context.Context, user User, email string) error {
	return a.db.Tx.InTx(ctx, func(ctx context.Context) error {
		if err := a.subscriber.EmailChanges(ctx, user, email); err != nil {
			return err
		}
		err := a.db.Users.SetEmail(ctx, user.ID, email, a.now())
		if fault.Is(err, fault.Conflict) {
			return &fault.Error{
				Kind: fault.Conflict, Field: "email",
				Message: "There is already an account with this e-mail address. Choose another.",
			}
		}
		if err != nil {
			return err
		}
		if err := a.db.Sessions.DeleteSessions(ctx, user.ID); err != nil {
			return err
		}
		if err := a.db.Codes.DeleteAddressCodes(ctx, user.ID); err != nil {
			return err
		}
		if err := a.throttle.Tell(ctx, a.mails, user, a.movedLetter(email)); err != nil {
			return err
		}
		return audit.Record(ctx, a.db.Audit, "", a.now(), audit.Entry{
			Action: audit.EmailChanged, Object: user.object(),
			Changes: []audit.Change{{Field: "email", Old: user.Email, New: email}},
		})
	})
}

func confirmLetter(mails *outbox.Writer) func(code string) outbox.Letter {
	return func(code string) outbox.Letter {
		return outbox.Letter{
			Subject: "Confirm your e-mail address",
			Says:    []string{"You have an account with this e-mail address. To invite people, create API tokens and take a plan, confirm the address here within a day:"},
			Link:    outbox.Link{Text: "Confirm the address", URL: mails.Link(confirmPath + code)},
			Then:    []string{"If you have no account, ignore this e-mail: without you, the address stays unconfirmed."},
		}
	}
}

func (a *Addresses) newLetter(code string) outbox.Letter {
	return outbox.Letter{
		Subject: "Confirm your new e-mail address",
		Says:    []string{"Someone wants to use this e-mail address for their account. If it was you, confirm it here within a day:"},
		Link:    outbox.Link{Text: "Confirm the address", URL: a.mails.Link(confirmPath + code)},
		Then:    []string{"If it wasn't you, ignore this e-mail: the address will not be used."},
	}
}

func (a *Addresses) takenLetter(string) outbox.Letter {
	return outbox.Letter{Subject: "Someone tried to use your e-mail address", Says: []string{
		"Someone tried to use this e-mail address for another account. It belongs to your account, so nothing has changed, and nobody was told that you have one.",
	}}
}

func (a *Addresses) movedLetter(email string) outbox.Letter {
	return outbox.Letter{Subject: "Your e-mail address was changed", Says: []string{
		fmt.Sprintf("The e-mail address of your account is now %s. All other browsers have been signed out.", email),
		"If it wasn't you, tell the operator of this server at once: " + a.mails.Link(""),
	}}
}
