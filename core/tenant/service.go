package tenant

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"net/mail"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/internal/id"
)

// Service is the room: accounts, workspaces and who may do what.
type Service struct {
	store   Store
	now     func() time.Time
	random  io.Reader
	hasher  *hasher
	options Options
}

// Options are what an operator can decide about workspaces.
type Options struct {
	// Grace is how long a payment that failed is waited for before access ends.
	Grace time.Duration
	// StripeOff says that plans are not sold here, or not any more: what was
	// paid for cannot be verified.
	StripeOff bool
	// Mails says that owners are told by mail what happens to their plan.
	Mails bool
	// BaseURL is where people reach this server, for links in mails.
	BaseURL string
}

// New returns the room over a store. Random must be cryptographically secure.
func New(store Store, now func() time.Time, random io.Reader, options Options) *Service {
	options.BaseURL = strings.TrimRight(options.BaseURL, "/")
	return &Service{
		store: store, now: now, random: random, options: options,
		hasher: newHasher(random, runtime.GOMAXPROCS(0)),
	}
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

// SignUp creates a user, who owns a new workspace on the Starter plan. Of a
// person who has an account it returns that, if the password is its own: they
// are who they say, and get no further workspace. Otherwise it is
// Unauthenticated.
func (s *Service) SignUp(ctx context.Context, account Account) (User, Workspace, error) {
	name, err := checkAccount(account)
	if err != nil {
		return User{}, Workspace{}, err
	}
	counted, err := s.countSignUp(ctx, account.Client)
	if err != nil {
		return User{}, Workspace{}, err
	}
	user, isNew, err := s.newcomer(ctx, account)
	if fault.Is(err, fault.Unavailable) || err == nil && !isNew { // nothing was made or found out
		err = errors.Join(err, counted.forgive(context.WithoutCancel(ctx)))
	}
	if err != nil || !isNew {
		return user, Workspace{}, err
	}
	workspace := s.prepareWorkspace(name)
	ctx = audit.AsPerson(ctx, user.ID, user.Email)
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		if err := s.admitAccount(ctx, account.OnlyFirst); err != nil {
			return err
		}
		if err := s.insertUser(ctx, user); err != nil {
			return err
		}
		return s.insertWorkspace(ctx, workspace, user)
	})
	return user, workspace, err
}

// newcomer returns a new user, or the one who has the address and proves it.
// Both cost one hash.
func (s *Service) newcomer(ctx context.Context, account Account) (user User, isNew bool, err error) {
	user, isNew, err = s.userOrNew(ctx, normalEmail(account.Email), account.Password, account.Client)
	if fault.Is(err, fault.Unauthenticated) {
		err = fault.Wrap(fault.Unauthenticated, err, "No account was created. If you have one with this e-mail address, sign in with its password.")
	}
	return user, isNew, err
}

// userOrNew returns the user with an address, who proves with the password who
// they are, or a new one that is not stored yet.
func (s *Service) userOrNew(ctx context.Context, email, password string, client Client) (user User, isNew bool, err error) {
	_, err = s.store.UserByEmail(ctx, email)
	if fault.Is(err, fault.NotFound) {
		user, err = s.prepareUser(ctx, email, password, client)
		return user, true, err
	}
	if err != nil {
		return User{}, false, err
	}
	user, err = s.prove(ctx, email, password, client)
	return user, false, err
}

// admitAccount makes sure that nobody else makes the first account, if only
// that one is wanted: the database decides, whatever process asks.
func (s *Service) admitAccount(ctx context.Context, onlyFirst bool) error {
	if !onlyFirst {
		return nil
	}
	if err := s.store.LockUsers(ctx); err != nil {
		return err
	}
	return s.AdmitFirst(ctx)
}

// AdmitFirst is Forbidden once anybody has an account.
func (s *Service) AdmitFirst(ctx context.Context) error {
	empty, err := s.Empty(ctx)
	if err == nil && !empty {
		err = fault.New(fault.Forbidden, "Accounts are by invitation here. Ask an admin of a workspace for one.")
	}
	return err
}

// CreateUser creates a user who belongs to no workspace yet.
func (s *Service) CreateUser(ctx context.Context, email, password string) (User, error) {
	user, err := s.prepareUser(ctx, email, password, Client{})
	if err != nil {
		return User{}, err
	}
	return user, s.store.InTx(ctx, func(ctx context.Context) error { return s.insertUser(ctx, user) })
}

// CreateWorkspace creates a workspace on the Starter plan for a user, its owner.
func (s *Service) CreateWorkspace(ctx context.Context, owner User, name string) (Workspace, error) {
	name, err := checkName("workspace", name)
	if err != nil {
		return Workspace{}, err
	}
	workspace := s.prepareWorkspace(name)
	return workspace, s.store.InTx(ctx, func(ctx context.Context) error {
		return s.insertWorkspace(ctx, workspace, owner)
	})
}

// ResetPassword gives a user a new password, signs them out everywhere, and
// ends the trust in the browsers on which they have signed in.
func (s *Service) ResetPassword(ctx context.Context, email, password string) error {
	user, err := s.UserByEmail(ctx, email)
	if err != nil {
		return err
	}
	return s.setPassword(ctx, user.ID, password, Client{})
}

// ChangePassword is ResetPassword for a user who proves with the present
// password who they are. The field of a fault of the new one is new_password.
func (s *Service) ChangePassword(ctx context.Context, userID, present, password string, client Client) error {
	if err := checkPassword(password); err != nil {
		return inField("new_password", err)
	}
	if _, err := s.confirm(ctx, userID, present, client); err != nil {
		return err
	}
	return s.setPassword(ctx, userID, password, client)
}

// confirm returns the user if the password is theirs. They are signed in, but
// whoever holds the browser may be somebody else.
func (s *Service) confirm(ctx context.Context, userID, password string, client Client) (User, error) {
	user, err := s.store.User(ctx, userID)
	if err != nil {
		return User{}, err
	}
	user, err = s.prove(ctx, user.Email, password, client)
	if fault.Is(err, fault.Unauthenticated) {
		return User{}, &fault.Error{
			Kind: fault.Invalid, Field: "password", Cause: err, Message: "This is not your password. Try again.",
		}
	}
	return user, err
}

// inField is a fault as one of another input.
func inField(field string, err error) error {
	failure := *fault.As(err)
	failure.Field = field
	return &failure
}

func (s *Service) setPassword(ctx context.Context, userID, password string, client Client) error {
	if err := checkPassword(password); err != nil {
		return err
	}
	hash, err := s.hasher.hash(ctx, client.Address, password)
	if err != nil {
		return err
	}
	return s.store.InTx(ctx, func(ctx context.Context) error {
		if err := s.store.SetPassword(ctx, userID, hash); err != nil {
			return err
		}
		if err := s.store.ForgetDevices(ctx, userID); err != nil {
			return err
		}
		// Whoever knew the old password may have asked for another address.
		if err := s.store.DeleteAddressCodes(ctx, userID); err != nil {
			return err
		}
		if err := s.store.DeleteSessions(ctx, userID); err != nil {
			return err
		}
		user, err := s.store.User(ctx, userID)
		if err != nil {
			return err
		}
		return s.record(ctx, "", audit.Entry{Action: audit.PasswordChanged, Object: account(user)})
	})
}

// NewPassword returns a random password of 20 characters.
func (s *Service) NewPassword() string { return id.Base62(id.Bytes(s.random, 14), 20) }

// Empty reports whether nobody has signed up yet.
func (s *Service) Empty(ctx context.Context) (bool, error) {
	n, err := s.store.CountUsers(ctx)
	return n == 0, err
}

// UserByEmail returns the user with that address.
func (s *Service) UserByEmail(ctx context.Context, email string) (User, error) {
	return s.store.UserByEmail(ctx, normalEmail(email))
}

// Users returns all users, for the operator.
func (s *Service) Users(ctx context.Context) ([]User, error) { return s.store.Users(ctx) }

// Memberships returns the workspaces of a user.
func (s *Service) Memberships(ctx context.Context, userID string) ([]Membership, error) {
	return s.store.Memberships(ctx, userID)
}

// Workspaces returns all workspaces, for the operator.
func (s *Service) Workspaces(ctx context.Context) ([]Workspace, error) {
	return s.store.Workspaces(ctx)
}

// Workspace returns one workspace.
func (s *Service) Workspace(ctx context.Context, workspaceID string) (Workspace, error) {
	return s.store.Workspace(ctx, workspaceID)
}

// remembered is how long mails that were sent and events that were applied are
// kept. Stripe sends an event again for three days.
const remembered = 90 * 24 * time.Hour

// DeleteExpired removes sessions and the like that no longer matter.
func (s *Service) DeleteExpired(ctx context.Context) error {
	now := s.now()
	return errors.Join(
		s.store.DeleteExpired(ctx, now),
		s.store.DeleteBillingEvents(ctx, now.Add(-remembered)),
		s.store.DeleteMails(ctx, now.Add(-remembered)),
	)
}

// checkAccount returns the workspace's name. What a person has to type again
// is refused before it is counted.
func checkAccount(account Account) (workspace string, err error) {
	if _, err := checkEmail(account.Email); err != nil {
		return "", err
	}
	if err := checkPassword(account.Password); err != nil {
		return "", err
	}
	return checkName("workspace", account.Workspace)
}

func (s *Service) prepareUser(ctx context.Context, email, password string, client Client) (User, error) {
	email, err := checkEmail(email)
	if err != nil {
		return User{}, err
	}
	if err := checkPassword(password); err != nil {
		return User{}, err
	}
	hash, err := s.hasher.hash(ctx, client.Address, password)
	if err != nil {
		return User{}, err
	}
	return User{ID: id.New(s.random, "usr"), Email: email, PasswordHash: hash, CreatedAt: s.now()}, nil
}

func (s *Service) prepareWorkspace(name string) Workspace {
	return Workspace{ID: id.New(s.random, "ws"), Name: name, Plan: plan.Free, Granted: plan.Free, CreatedAt: s.now()}
}

func (s *Service) insertUser(ctx context.Context, user User) error {
	err := s.store.CreateUser(ctx, user)
	if fault.Is(err, fault.Conflict) {
		return &fault.Error{
			Kind: fault.Conflict, Field: "email",
			Message: "There is an account with this e-mail address already. Sign in instead.",
		}
	}
	if err != nil {
		return err
	}
	return s.record(ctx, "", audit.Entry{Action: audit.AccountCreated, Object: account(user)})
}

func (s *Service) insertWorkspace(ctx context.Context, workspace Workspace, owner User) error {
	if err := s.store.CreateWorkspace(ctx, workspace); err != nil {
		return err
	}
	err := s.store.AddMember(ctx, workspace.ID, Member{
		WorkspaceID: workspace.ID, UserID: owner.ID, Email: owner.Email, Role: RoleOwner, CreatedAt: s.now(),
	})
	if err != nil {
		return err
	}
	return s.record(ctx, workspace.ID, audit.Entry{
		Action: audit.WorkspaceCreated, Object: workspace.object(), Detail: "The owner is " + owner.Email + ".",
	})
}

func normalEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

func checkEmail(email string) (string, error) {
	email = normalEmail(email)
	address, err := mail.ParseAddress(email)
	if err != nil || address.Address != email || len(email) > 254 || strings.ContainsAny(email, " \x00") {
		return "", fault.InField("email", "Give an e-mail address such as name@example.com.")
	}
	return email, nil
}

const maxName = 100

// checkName trims a name that people give to a thing and refuses one that is
// blank, too long, or not plain text.
func checkName(field, name string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return "", fault.InField(field, "Give a name.")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, isControl):
		return "", fault.InField(field, "The name has characters that cannot be shown. Use plain text.")
	case utf8.RuneCountInString(name) > maxName:
		return "", fault.InField(field, "The name is longer than %d characters. Shorten it.", maxName)
	}
	return name, nil
}

func isControl(r rune) bool { return r < 0x20 || r == 0x7f }

func newSecret(random io.Reader) string {
	return base64.RawURLEncoding.EncodeToString(id.Bytes(random, 32))
}

func hashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
