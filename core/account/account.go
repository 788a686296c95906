// Package account owns the people who sign in: how they sign up, their addresses
// and passwords, their sessions, the browsers that they trust, and how guesses at
// a password are slowed down.
//
// It does not own cookies and pages (package web), sending mails (packages outbox
// and mail), or the workspaces that people belong to (package tenant).
package account

import (
	"context"
	"io"
	"iter"
	"net/mail"
	"runtime"
	"strings"
	"time"

	"parley/core/account/signin"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/outbox"
)

// User is a person who can sign in. One may be a member of many workspaces.
type User struct {
	ID string
	// Email is in lower case.
	Email string
	// EmailConfirmedAt is when the user showed that they read the mail of the address,
	// or when the operator vouched for them; nil if neither happened.
	EmailConfirmedAt *time.Time
	// PasswordHash is a PHC string; see hasher. It is empty for a user without a
	// password.
	PasswordHash string
	Profile
	CreatedAt time.Time
}

// object describes a user as the object of an action.
func (u User) object() audit.Object {
	return audit.Object{Kind: "account", ID: u.ID, Name: u.Email}
}

// UserStore stores users. A missing row is a NotFound fault, an existing row a
// Conflict.
type UserStore interface {
	CreateUser(ctx context.Context, user User) error
	User(ctx context.Context, id string) (User, error)
	UserByEmail(ctx context.Context, email string) (User, error)
	// Users reads all users, oldest first, a portion at a time.
	Users(ctx context.Context) iter.Seq2[User, error]
	CountUsers(ctx context.Context) (int, error)
	// LockUsers blocks others from creating users until the transaction ends.
	LockUsers(ctx context.Context) error
	SetPassword(ctx context.Context, userID, passwordHash string) error
	// SetEmail gives a user an address that is confirmed, which may be the one they have.
	// It is a Conflict if another user has it.
	SetEmail(ctx context.Context, userID, email string, confirmedAt time.Time) error
	SetProfile(ctx context.Context, userID string, profile Profile) error
}

// transactor runs a function in one transaction; calls inside it join.
type transactor interface {
	InTx(ctx context.Context, fn func(context.Context) error) error
}

// Database holds the ports of this package, one for each subject.
type Database struct {
	Tx       transactor
	Users    UserStore
	Sessions SessionStore
	Devices  DeviceStore
	Attempts AttemptStore
	Codes    CodeStore
	Factors  FactorStore
	Steps    signin.Store
	Audit    audit.Log
	Decoy    decoy
}

// decoy does, in the transaction of ctx, as much as for an entry of the audit log, and
// writes none: so that nobody learns from the time of an answer whether there was
// something to record.
type decoy interface {
	PretendAudit(ctx context.Context) error
}

// Neighbors are the ports to packages that react to what happens here.
type Neighbors struct {
	Mails   *outbox.Writer
	Founder Founder
	Emails  emailSubscriber
	SignIns signInRule
	// Links shows the operator links that no mail can carry. It may be nil.
	Links LinkPrinter
}

// Accounts holds the services of this package over one database.
type Accounts struct {
	Users     *Users
	Profiles  *Profiles
	SignUps   *SignUps
	Passwords *Passwords
	Resets    *Resets
	Sessions  *Sessions
	Steps     *signin.Steps
	Addresses *Addresses
	Throttle  *Throttle
}

// New returns the services. Random must be cryptographically secure.
func New(db Database, neighbors Neighbors, now func() time.Time, random io.Reader) Accounts {
	throttle := &Throttle{db: db, now: now}
	passwords := &Passwords{db: db, mails: neighbors.Mails, throttle: throttle, hasher: newHasher(random, runtime.GOMAXPROCS(0), secure), now: now, random: random}
	steps := signin.New(db.Tx, db.Steps, now, random)
	codes := &codes{db: db, mails: neighbors.Mails, printer: neighbors.Links, throttle: throttle, now: now, random: random}
	return Accounts{
		Users:     &Users{store: db.Users},
		Profiles:  &Profiles{db: db},
		SignUps:   &SignUps{db: db, founder: neighbors.Founder, mails: neighbors.Mails, throttle: throttle, passwords: passwords, codes: codes, now: now, random: random},
		Passwords: passwords,
		Sessions:  &Sessions{db: db, mails: neighbors.Mails, passwords: passwords, rule: neighbors.SignIns, steps: steps, now: now, random: random},
		Steps:     steps,
		Resets:    &Resets{passwords: passwords, mails: neighbors.Mails, throttle: throttle, codes: codes},
		Addresses: &Addresses{db: db, subscriber: neighbors.Emails, mails: neighbors.Mails, throttle: throttle, passwords: passwords, codes: codes, now: now},
		Throttle:  throttle,
	}
}

// Users finds users.
type Users struct{ store UserStore }

// ByEmail returns the user with an address.
func (u *Users) ByEmail(ctx context.Context, email string) (User, error) {
	return u.store.UserByEmail(ctx, normalEmail(email))
}

// Get returns one user.
func (u *Users) Get(ctx context.Context, userID string) (User, error) {
	return u.store.User(ctx, userID)
}

// All returns all users, for the operator.
func (u *Users) All(ctx context.Context) iter.Seq2[User, error] { return u.store.Users(ctx) }

// EmailConfirmed reports whether somebody has shown that they read the user's mail.
func (u User) EmailConfirmed() bool { return u.EmailConfirmedAt != nil }

// HasPassword reports whether the user can sign in with one. People whom an identity
// provider brought have none until they choose one.
func (u User) HasPassword() bool { return u.PasswordHash != "" }

// CheckEmail returns the normal form of an address, or refuses it.
func CheckEmail(email string) (string, error) {
	email = normalEmail(email)
	address, err := mail.ParseAddress(email)
	if err != nil || address.Address != email || len(email) > 254 || strings.ContainsAny(email, " \x00") {
		return "", fault.InField("email", "Enter an e-mail address such as name@example.com.")
	}
	return email, nil
}

func normalEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }
