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

// Founder founds the workspace that a new person begins with; package tenant
// does.
type Founder interface {
	// CheckName returns a workspace's name as it is kept, or refuses it.
	CheckName(name string) (string, error)
	// Found makes a workspace that a user owns, in the transaction of ctx.
	Found(ctx context.Context, owner User, name string) (workspaceID string, err error)
}

// Account is what a person gives to sign up.
type Account struct {
	Email    string
	Password string
	// Workspace names the workspace to create.
	Workspace string
	// Client is who asks, for throttling; the zero Client is the operator.
	Client Client
	// OnlyFirst refuses it, as Forbidden, once anybody has an account.
	OnlyFirst bool
}

// SignUp creates a user, who owns a new workspace on the Starter plan, whose id
// it returns. For a person who has an account already it returns that user, if
// the password is theirs, and no workspace. Otherwise it is Unauthenticated.
func (s *SignUps) SignUp(ctx context.Context, account Account) (user User, workspaceID string, err error) {
	name, err := s.check(account)
	if err != nil {
		return User{}, "", err
	}
	counted, err := s.throttle.countSignUp(ctx, account.Client)
	if err != nil {
		return User{}, "", err
	}
	user, isNew, err := s.newcomer(ctx, account)
	if fault.Is(err, fault.Unavailable) || err == nil && !isNew { // nothing was made or found out
		err = errors.Join(err, counted.forgive(context.WithoutCancel(ctx)))
	}
	if err != nil || !isNew {
		return user, "", err
	}
	ctx = audit.AsPerson(ctx, user.ID, user.Email)
	err = s.db.Tx.InTx(ctx, func(ctx context.Context) error {
		if err := s.admitAccount(ctx, account.OnlyFirst); err != nil {
			return err
		}
		if err := s.Insert(ctx, user); err != nil {
			return err
		}
		workspaceID, err = s.founder.Found(ctx, user, name)
		return err
	})
	return user, workspaceID, err
}

// check returns the workspace's name. What a person has to type again is
// refused before it is counted.
func (s *SignUps) check(account Account) (workspace string, err error) {
	if _, err := CheckEmail(account.Email); err != nil {
		return "", err
	}
	if err := checkPassword(account.Password); err != nil {
		return "", err
	}
	return s.founder.CheckName(account.Workspace)
}

// newcomer returns a new user, or the one who has the address and proves it.
// Both cost one hash.
func (s *SignUps) newcomer(ctx context.Context, account Account) (user User, isNew bool, err error) {
	user, isNew, err = s.userOrNew(ctx, normalEmail(account.Email), account.Password, account.Client)
	if fault.Is(err, fault.Unauthenticated) {
		err = fault.Wrap(fault.Unauthenticated, err, "No account was created. If you have one with this e-mail address, sign in with its password.")
	}
	return user, isNew, err
}

// Joiner returns the user with an invited address, who proves with the password
// who they are, or a new one for [SignUps.Insert]. What it tells of the address
// is counted as sign-ups are.
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
	if err != nil || !isNew { // nothing was made or found out
		err = errors.Join(err, counted.forgive(context.WithoutCancel(ctx)))
	}
	return user, isNew, err
}

// userOrNew returns the user with an address, who proves with the password who
// they are, or a new one that is not stored yet.
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
	if err := checkPassword(password); err != nil {
		return User{}, err
	}
	hash, err := s.passwords.hasher.hash(ctx, client.Address, password)
	if err != nil {
		return User{}, err
	}
	return User{ID: id.New(s.random, "usr"), Email: email, PasswordHash: hash, CreatedAt: s.now()}, nil
}

// Insert stores a new user, in the transaction of ctx.
func (s *SignUps) Insert(ctx context.Context, user User) error {
	err := s.db.Users.CreateUser(ctx, user)
	if fault.Is(err, fault.Conflict) {
		return &fault.Error{
			Kind: fault.Conflict, Field: "email",
			Message: "There is an account with this e-mail address already. Sign in instead.",
		}
	}
	if err != nil {
		return err
	}
	return audit.Record(ctx, s.db.Audit, "", s.now(), audit.Entry{Action: audit.AccountCreated, Object: user.object()})
}

// admitAccount makes sure that nobody else makes the first account, if only
// that one is wanted: the database decides, whatever process asks.
func (s *SignUps) admitAccount(ctx context.Context, onlyFirst bool) error {
	if !onlyFirst {
		return nil
	}
	if err := s.db.Users.LockUsers(ctx); err != nil {
		return err
	}
	return s.AdmitFirst(ctx)
}

// AdmitFirst is Forbidden once anybody has an account.
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

// CreateUser creates a user who belongs to no workspace yet.
func (s *SignUps) CreateUser(ctx context.Context, email, password string) (User, error) {
	user, err := s.prepare(ctx, email, password, Client{})
	if err != nil {
		return User{}, err
	}
	return user, s.db.Tx.InTx(ctx, func(ctx context.Context) error { return s.Insert(ctx, user) })
}

// ChecksSignUps reports whether a new account begins with a mail. The first one
// does not: the person who sets a server up gets in, even if its mails do not
// work yet.
func (s *SignUps) ChecksSignUps(ctx context.Context) (bool, error) {
	if !s.mails.On() {
		return false, nil
	}
	empty, err := s.Empty(ctx)
	return !empty, err
}

// RequestSignUp mails a link to an address, with which its owner creates an
// account. If there is one, the mail says so instead. Everybody who asks gets
// the same answer, after the same work.
func (s *SignUps) RequestSignUp(ctx context.Context, email string, client Client) error {
	email, err := CheckEmail(email)
	if err != nil {
		return err
	}
	if err := s.throttle.countMail(ctx, email, client); err != nil {
		return err
	}
	return s.codes.mail(ctx, email, "", signUpLetters(s.mails))
}

// FinishSignUp is SignUp for a person who has followed the link with the code.
// It does not look at the account's Email.
func (s *SignUps) FinishSignUp(ctx context.Context, code string, account Account) (User, error) {
	if err := checkPassword(account.Password); err != nil {
		return User{}, err
	}
	name, err := s.founder.CheckName(account.Workspace)
	if err != nil {
		return User{}, err
	}
	checked, err := s.codes.open(ctx, code, account.Client)
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

// signUpLetters are what an address is told with which somebody signs up.
func signUpLetters(mails *outbox.Writer) letters {
	return letters{
		unknown: func(code string) outbox.Letter {
			return outbox.Letter{Subject: "Create your account", Says: []string{
				"Someone wants to create an account with this e-mail address. If it was you, continue here within a day:",
				mails.Link("/sign-up/finish#" + code),
				"If it wasn't you, ignore this e-mail: no account will be created.",
			}}
		},
		known: func(string) outbox.Letter {
			return outbox.Letter{Subject: "You already have an account", Says: []string{
				"Someone tried to create an account with this e-mail address, but it already has one. If it was you, sign in:",
				mails.Link("/sign-in"),
				"If it wasn't you, you don't need to do anything. Nothing has changed, and nobody was told that you have an account.",
			}}
		},
	}
}
