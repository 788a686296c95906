package account

import (
	"context"
	"errors"
	"io"
	"runtime"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/outbox"
	"parley/internal/id"
)

// Passwords checks passwords and changes them.
type Passwords struct {
	db       Database
	mails    *outbox.Writer
	throttle *Throttle
	hasher   *hasher
	now      func() time.Time
	random   io.Reader
}

// WeakenForTests lets hashes cost nothing, so that tests can sign in many people. It must
// be called before the first password is hashed.
func (p *Passwords) WeakenForTests() {
	p.hasher = newHasher(p.random, runtime.GOMAXPROCS(0), cost{memory: 8, time: 1, threads: 1})
}

// prove returns the user with an address and password. All comparisons of passwords
// go through it, and it counts each attempt against the account.
func (p *Passwords) prove(ctx context.Context, email, password string, client Client) (User, error) {
	attempt, err := p.throttle.countGuess(ctx, email, client)
	if err != nil {
		return User{}, err
	}
	user, err := p.db.Users.UserByEmail(ctx, email)
	unknown := fault.Is(err, fault.NotFound)
	if err != nil && !unknown {
		return User{}, err
	}
	hasNone := unknown || user.PasswordHash == ""
	if hasNone {
		user.PasswordHash = p.hasher.decoy
	}
	ok, outdated, err := p.hasher.verify(ctx, client.Address, user.PasswordHash, password)
	if fault.Is(err, fault.Unavailable) { // the password was not compared
		return User{}, errors.Join(err, attempt.forgive(context.WithoutCancel(ctx)))
	}
	if err != nil {
		return User{}, err
	}
	if !ok || hasNone {
		return User{}, p.refuseGuess(ctx, email, user, attempt)
	}
	if outdated {
		if err := p.rehash(ctx, user.ID, password, client); err != nil {
			return User{}, err
		}
	}
	return user, attempt.forgive(ctx)
}

func (p *Passwords) rehash(ctx context.Context, userID, password string, client Client) error {
	hash, err := p.hasher.hash(ctx, client.Address, password)
	if err != nil {
		return err
	}
	return p.db.Tx.InTx(ctx, func(ctx context.Context) error { return p.db.Users.SetPassword(ctx, userID, hash) })
}

// Reset sets a user's password, signs them out everywhere, and forgets the
// browsers that they trust.
func (p *Passwords) Reset(ctx context.Context, email, password string) error {
	user, err := p.db.Users.UserByEmail(ctx, normalEmail(email))
	if err != nil {
		return err
	}
	return p.set(ctx, user, password, Client{})
}

// Change is Reset for a user who shows who they are. A user without a password gets their
// first. The field of a fault about the new one is new_password.
func (p *Passwords) Change(ctx context.Context, userID string, shown Evidence, password string, client Client) error {
	user, err := p.db.Users.User(ctx, userID)
	if err != nil {
		return err
	}
	if err := checkPassword(password, user.Email); err != nil {
		return inField("new_password", err)
	}
	if _, err := p.Confirm(ctx, userID, shown, client); err != nil {
		return err
	}
	return p.set(ctx, user, password, client)
}

// confirm returns the user if the password is theirs. They are signed in, but
// somebody else may hold the browser.
func (p *Passwords) confirm(ctx context.Context, user User, password string, client Client) (User, error) {
	user, err := p.prove(ctx, user.Email, password, client)
	if fault.Is(err, fault.Unauthenticated) {
		return User{}, &fault.Error{
			Kind: fault.Invalid, Field: "password", Cause: err, Message: "That is not your password. Try again.",
		}
	}
	return user, err
}

// inField moves a fault to another field.
func inField(field string, err error) error {
	failure := *fault.As(err)
	failure.Field = field
	return &failure
}

func (p *Passwords) set(ctx context.Context, user User, password string, client Client) error {
	hash, err := p.hash(ctx, user, password, client)
	if err != nil {
		return err
	}
	return p.db.Tx.InTx(ctx, func(ctx context.Context) error { return p.replace(ctx, user, hash, "") })
}

// hash returns the hash of a password that a user may choose.
func (p *Passwords) hash(ctx context.Context, user User, password string, client Client) (string, error) {
	if err := checkPassword(password, user.Email); err != nil {
		return "", err
	}
	return p.hasher.hash(ctx, client.Address, password)
}

// replace writes a password's hash and its consequences, in the transaction of ctx.
// Detail says in the audit log how it came about.
func (p *Passwords) replace(ctx context.Context, user User, hash, detail string) error {
	if err := p.db.Users.SetPassword(ctx, user.ID, hash); err != nil {
		return err
	}
	if err := p.db.Devices.ForgetDevices(ctx, user.ID); err != nil {
		return err
	}
	// Somebody who knew the old password may have requested another address.
	if err := p.db.Codes.DeleteAddressCodes(ctx, user.ID); err != nil {
		return err
	}
	if err := p.db.Steps.DeleteSteps(ctx, user.ID); err != nil {
		return err
	}
	if err := p.db.Sessions.DeleteSessions(ctx, user.ID); err != nil {
		return err
	}
	if err := p.throttle.Tell(ctx, p.mails, user, passwordLetter(p.mails)); err != nil {
		return err
	}
	return audit.Record(ctx, p.db.Audit, "", p.now(), audit.Entry{Action: audit.PasswordChanged, Object: user.object(), Detail: detail})
}

func passwordLetter(mails *outbox.Writer) outbox.Letter {
	return outbox.Letter{
		Subject: "Your password was changed",
		Says:    []string{"The password of your account was changed, and you were signed out everywhere."},
		Then:    []string{"If it wasn't you, choose another at once:", mails.Link("/forgot-password"), "If that does not help, tell the operator of this server: " + mails.Link("")},
	}
}

// Random returns a random password of 20 characters.
func (p *Passwords) Random() string { return id.Base62(id.Bytes(p.random, 14), 20) }
