// Package factor owns the second factors of people: apps that make one-time codes,
// passkeys, and recovery codes for whoever has lost both. It signs in with them, and
// with a passkey alone.
//
// It does not own the rule that a sign-in needs a second factor, sessions or the
// throttling of guesses (package account), the messages of WebAuthn (package passkey),
// nor which workspaces demand a second factor (package tenant).
package factor

import (
	"context"
	"io"
	"time"

	"parley/core/account"
	"parley/core/account/signin"
	"parley/core/audit"
	"parley/core/outbox"
)

// transactor runs a function in one transaction; calls inside it join.
type transactor interface {
	InTx(ctx context.Context, fn func(context.Context) error) error
}

// Database holds the ports of this package, one for each subject. A missing row is a
// NotFound fault, an existing row a Conflict.
type Database struct {
	Tx       transactor
	Users    account.UserStore
	Sessions account.SessionStore
	Attempts account.AttemptStore
	Has      account.FactorStore
	Apps     AppStore
	Recovery RecoveryStore
	Passkeys PasskeyStore
	Audit    audit.Log
}

// Vault seals the secrets of apps; package seal implements it.
type Vault interface {
	Seal(workspaceID, ownerID, text string) ([]byte, error)
	Unseal(workspaceID, ownerID string, sealed []byte) (string, error)
}

// Neighbors are what this package needs of others.
type Neighbors struct {
	Accounts account.Accounts
	Mails    *outbox.Writer
	Vault    Vault
	// WebAuthn speaks with browsers about passkeys.
	WebAuthn WebAuthn
}

// Factors holds the services of this package over one database.
type Factors struct {
	Apps     *Apps
	Recovery *Recovery
	Passkeys *Passkeys
	Proofs   *Proofs
	Resets   *Resets
	Resealer *Resealer
}

// core is what the services share.
type core struct {
	db       Database
	mails    *outbox.Writer
	accounts account.Accounts
	steps    *signin.Steps
	now      func() time.Time
	random   io.Reader
}

// New returns the services. Random must be cryptographically secure.
func New(db Database, neighbors Neighbors, now func() time.Time, random io.Reader) Factors {
	shared := &core{db: db, mails: neighbors.Mails, accounts: neighbors.Accounts, steps: neighbors.Accounts.Steps, now: now, random: random}
	recovery := &Recovery{core: shared}
	apps := &Apps{core: shared, vault: neighbors.Vault, recovery: recovery}
	passkeys := &Passkeys{core: shared, webAuthn: neighbors.WebAuthn, recovery: recovery}
	return Factors{
		Apps: apps, Recovery: recovery, Passkeys: passkeys,
		Proofs: &Proofs{core: shared, apps: apps, recovery: recovery, passkeys: passkeys},
		Resets: &Resets{core: shared}, Resealer: &Resealer{apps},
	}
}

// Set is what a person has set up.
type Set struct {
	// App says that an app makes codes for them.
	App bool
	// Passkeys are theirs, the oldest first.
	Passkeys []Passkey
	// RecoveryCodes are how many they have left.
	RecoveryCodes int
}

// Any says that there is a second factor. Recovery codes alone are none.
func (s Set) Any() bool { return s.App || len(s.Passkeys) > 0 }

// Of returns what a user has set up.
func (f Factors) Of(ctx context.Context, userID string) (Set, error) {
	return f.Apps.setOf(ctx, userID)
}

func (c *core) setOf(ctx context.Context, userID string) (set Set, err error) {
	if set.App, err = c.db.Apps.HasApp(ctx, userID); err != nil {
		return Set{}, err
	}
	if set.Passkeys, err = c.db.Passkeys.Passkeys(ctx, userID); err != nil {
		return Set{}, err
	}
	set.RecoveryCodes, err = c.db.Recovery.CountRecoveryCodes(ctx, userID)
	return set, err
}

// object describes a person as the object of an action.
func object(user account.User) audit.Object {
	return audit.Object{Kind: "account", ID: user.ID, Name: user.Email}
}

func (c *core) record(ctx context.Context, user account.User, action audit.Action, detail string) error {
	return audit.Record(ctx, c.db.Audit, "", c.now(), audit.Entry{Action: action, Object: object(user), Detail: detail})
}

// settle does what follows a removal, in the transaction of ctx: without a second
// factor there is nothing to recover, and no session has shown one.
func (c *core) settle(ctx context.Context, user account.User) error {
	has, err := c.db.Has.HasSecondFactor(ctx, user.ID)
	if err != nil || has {
		return err
	}
	if err := c.db.Recovery.DeleteRecoveryCodes(ctx, user.ID); err != nil {
		return err
	}
	return c.db.Sessions.ForgetSecondFactor(ctx, user.ID)
}
