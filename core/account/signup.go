package account

import (
	"context"
	"errors"
	"io"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/outbox"
	"parley/internal/id"
)

// SignUps creates accounts.
type SignUps struct {
	db        Database
	founder   Founder
	mails     *outbox.Writer
	throttle  *Throttle
	passwords *Passwords
	codes     *codes
	now       func() time.Time
	random    io.Reader
}

// Founder creates the workspace of a new person; package tenant implements it.
type Founder interface {
	// CheckName returns the normal form of a workspace's name, or refuses it.
	CheckName(name string) (string, error)
	// Found creates a workspace that a user owns, in the transaction of ctx.
	Found(ctx context.Context, owner User, name string) (workspaceID string, err error)
}

// Account holds what a person enters to sign up.
type Account struct {
	Email    string
	Password string
	// Workspace names the workspace to create.
	Workspace string
	// Client is who signs up, for throttling; the zero Client is the operator.
	Client Client
	// OnlyFirst refuses the account, as Forbidden, if there already is one.
	OnlyFirst bool
}

// Create creates a user who owns a new workspace on the Starter plan, and returns the
// workspace's id. If the address already has an account, Create returns that user
// and no workspace if the password is right; otherwise it is Unauthenticated.
func (s *SignUps) Create(ctx context.Context, account Account) (user User, workspaceID string, err error) {
	name, err := s.check(account)
	if err != nil {
		return User{}, "", err
	}
	counted, err := s.throttle.countSignUp(ctx, account.Client)
	if err != nil {
		return User{}, "", err
	}
	user, isNew, err := s.newcomer(ctx, account)
	if fault.Is(err, fault.Unavailable) || err == nil && !isNew { // the caller created and learned nothing
		err = errors.Join(err, counted.forgive(context.WithoutCancel(ctx)))
	}
	if err != nil || !isNew {
		return user, "", err
	}
	ctx = audit.AsPerson(ctx, user.ID, user.Email)
	if account.Client.isOperator() {
		user.EmailConfirmedAt = &user.CreatedAt
	}
	code := ""
	err = s.db.Tx.InTx(ctx, func(ctx context.Context) error {
		if err := s.admitAccount(ctx, account.OnlyFirst); err != nil {
			return err
		}
		if err := s.Insert(ctx, user); err != nil {
			return err
		}
		if !user.EmailConfirmed() {
			if code, err = s.codes.offer(ctx, user.Email, user.ID, confirmLetter(s.mails)); err != nil {
				return err
			}
		}
		workspaceID, err = s.founder.Found(ctx, user, name)
		return err
	})
	if err == nil && code != "" {
		s.codes.print(ctx, user.Email, code)
	}
	return user, workspaceID, err
}

// check returns the workspace's name. It refuses what a person has to type again
// before the attempt is counted.
func (s *SignUps) check(account Account) (workspace string, err error) {
	if _, err := CheckEmail(account.Email); err != nil {
		return "", err
	}
	if err := checkPassword(account.Password, account.Email); err != nil {
		return "", err
	}
	return s.founder.CheckName(account.Workspace)
}

// newcomer returns a new user, or the existing one who proves that the address is
// theirs. Both cost one hash.
func (s *SignUps) newcomer(ctx context.Context, account Account) (user User, isNew bool, err error) {
	user, isNew, err = s.userOrNew(ctx, normalEmail(account.Email), account.Password, account.Client)
	if fault.Is(err, fault.Unauthenticated) {
		err = fault.Wrap(fault.Unauthenticated, err, "No account was created. If you have one with this e-mail address, sign in with its password.")
	}
	return user, isNew, err
}

// Joiner returns the user with an invited address, who proves their identity with the
// password, or a new one for [SignUps.Insert]. What it reveals about the address is
// counted like a sign-up.
func (s *SignUps) Joiner(ctx context.Context, email, password string, client Client) (user User, isNew bool, err error) {
	counted, err := s.throttle.countSignUp(ctx, client)
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
	if err != nil || !isNew { // the caller created and learned nothing
		err = errors.Join(err, counted.forgive(context.WithoutCancel(ctx)))
	}
	return user, isNew, err
}

// userOrNew returns the user with an address, who proves their identity with the
// password, or a new one that is not stored yet.
func (s *SignUps) userOrNew(ctx context.Context, email, password string, client Client) (user User, isNew bool, err error) {
	_, err = s.db.Users.UserByEmail(ctx, email)
	if fault.Is(err, fault.NotFound) {
		user, err = s.prepare(ctx, email, password, client)
		return user, true, err
	}
	if err != nil {
		return User{}, false, err
	}
	user, err = s.passwords.prove(ctx, email, password, client)
	return user, false, err
}

// prepare returns a user who is not stored yet.
func (s *SignUps) prepare(ctx context.Context, email, password string, client Client) (User, error) {
	email, err := CheckEmail(email)
	if err != nil {
		return User{}, err
	}
	if err := checkPassword(password, email); err != nil {
		return User{}, err
	}
	hash, err := s.passwords.hasher.hash(ctx, client.Address, password)
	if err != nil {
		return User{}, err
	}
	return User{ID: id.New(s.random, "usr"), Email: email, PasswordHash: hash, CreatedAt: s.now()}, nil
}

// Vouched returns a user without a password who is not stored yet, and whose address an
// identity provider has verified.
func (s *SignUps) Vouched(email string) User {
	now := s.now()
	return User{ID: id.New(s.random, "usr"), Email: email, EmailConfirmedAt: &now, CreatedAt: now}
}

// Insert stores a new user, in the transaction of ctx.
func (s *SignUps) Insert(ctx context.Context, user User) error {
	err := s.db.Users.CreateUser(ctx, user)
	if fault.Is(err, fault.Conflict) {
		return &fault.Error{
			Kind: fault.Conflict, Field: "email",
			Message: "There is already an account with this e-mail address. Sign in instead.",
		}
	}
	if err != nil {
		return err
	}
	return audit.Record(ctx, s.db.Audit, "", s.now(), audit.Entry{Action: audit.AccountCreated, Object: user.object()})
}

// admitAccount ensures that nobody else creates the first account, if only that one
// is wanted: the database decides, whichever process asks.
func (s *SignUps) admitAccount(ctx context.Context, onlyFirst bool) error {
	if !onlyFirst {
		return nil
	}
	if err := s.db.Users.LockUsers(ctx); err != nil {
		return err
	}
	return s.AdmitFirst(ctx)
}

// AdmitFirst is Forbidden once there is an account.
func (s *SignUps) AdmitFirst(ctx context.Context) error {
	empty, err := s.Empty(ctx)
	if err == nil && !empty {
		err = fault.New(fault.Forbidden, "Accounts are by invitation here. Ask an admin of a workspace for one.")
	}
	return err
}

// Empty reports whether nobody has signed up yet.
func (s *SignUps) Empty(ctx context.Context) (bool, error) {
	n, err := s.db.Users.CountUsers(ctx)
	return n == 0, err
}

// CreateUser creates, for the operator, a user who belongs to no workspace yet.
func (s *SignUps) CreateUser(ctx context.Context, email, password string) (User, error) {
	user, err := s.prepare(ctx, email, password, Client{})
	if err != nil {
		return User{}, err
	}
	user.EmailConfirmedAt = &user.CreatedAt
	return user, s.db.Tx.InTx(ctx, func(ctx context.Context) error { return s.Insert(ctx, user) })
}

// NeedsMail reports whether a new account needs a mail first. The first account
// does not: whoever sets up a server gets in even if its mails do not work yet.
func (s *SignUps) NeedsMail(ctx context.Context) (bool, error) {
	if !s.mails.On() {
		return false, nil
	}
	empty, err := s.Empty(ctx)
	return !empty, err
}

// Request mails a link to an address, with which its owner creates an account.
// If there already is one, the mail says so instead. Every caller gets the same
// response after the same work.
func (s *SignUps) Request(ctx context.Context, email string, client Client) error {
	email, err := CheckEmail(email)
	if err != nil {
		return err
	}
	if err := s.throttle.countMail(ctx, email, client); err != nil {
		return err
	}
	return s.codes.mail(ctx, AddressCode{Email: email}, signUpLetters(s.mails))
}

// Finish is Create for a person who has followed the link with the code. It
// ignores the account's Email.
func (s *SignUps) Finish(ctx context.Context, code string, account Account) (User, error) {
	name, err := s.founder.CheckName(account.Workspace)
	if err != nil {
		return User{}, err
	}
	checked, err := s.codes.open(ctx, code, forAddress, account.Client)
	if err == nil && checked.UserID != "" {
		err = linkEnded()
	}
	if err != nil {
		return User{}, err
	}
	user, err := s.prepare(ctx, checked.Email, account.Password, account.Client)
	if err != nil {
		return User{}, err
	}
	user.EmailConfirmedAt = &user.CreatedAt
	ctx = audit.AsPerson(ctx, user.ID, user.Email)
	return user, s.db.Tx.InTx(ctx, func(ctx context.Context) error {
		if err := s.codes.redeem(ctx, checked); err != nil {
			return err
		}
		if err := s.Insert(ctx, user); err != nil {
			return err
		}
		_, err := s.founder.Found(ctx, user, name)
		return err
	})
}

// signUpLetters are the mails to an address with which somebody signs up.
func signUpLetters(mails *outbox.Writer) letters {
	return letters{
		unknown: func(code string) outbox.Letter {
			return outbox.Letter{
				Subject: "Create your account",
				Says:    []string{"Someone wants to create an account with this e-mail address. If it was you, continue here within a day:"},
				Link:    outbox.Link{Text: "Create the account", URL: mails.Link("/sign-up/finish#" + code)},
				Then:    []string{"If it wasn't you, ignore this e-mail: no account will be created."},
			}
		},
		known: func(string) outbox.Letter {
			return outbox.Letter{
				Subject: "You already have an account",
				Says:    []string{"Someone tried to create an account with this e-mail address, but it already has one. If it was you, sign in:"},
				Link:    outbox.Link{Text: "Sign in", URL: mails.Link("/sign-in")},
				Then:    []string{"If it wasn't you, you don't need to do anything. Nothing has changed, and nobody was told that you have an account."},
			}
		},
	}
}
