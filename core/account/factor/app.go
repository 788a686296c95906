package factor

import (
	"context"
	"crypto/subtle"
	"encoding/base32"
	"iter"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/fault"
	"parley/internal/id"
)

const (
	// issuer is what apps show beside the person's address.
	issuer = "Parley"
	// period is how long a code is shown, in seconds, and drift how many periods a
	// clock may be behind or ahead (RFC 6238, section 5.2).
	period = 30
	drift  = 1
	// secretLen is the length of a secret in bytes (RFC 4226, section 4).
	secretLen = 20
)

// App makes one-time codes for a user (RFC 6238).
type App struct {
	UserID string
	// Sealed is the secret: see package seal.
	Sealed []byte
	// Confirmed says that the user has entered a code of it. Before, it lets nobody in.
	Confirmed bool
	// LastStep is the period of the last code, which is used once.
	LastStep  int64
	CreatedAt time.Time
}

// AppStore stores apps, one for each user.
type AppStore interface {
	// PutApp stores an app in place of one that was not confirmed. It is a Conflict
	// if there is one that was.
	PutApp(ctx context.Context, app App) error
	App(ctx context.Context, userID string) (App, error)
	// HasApp reports whether there is one that was confirmed.
	HasApp(ctx context.Context, userID string) (bool, error)
	// ConfirmApp is NotFound if there is none that waits for it.
	ConfirmApp(ctx context.Context, userID string, at time.Time, step int64) error
	// UseAppStep is NotFound if a code of this period, or of a later one, was used.
	UseAppStep(ctx context.Context, userID string, step int64) error
	DeleteApp(ctx context.Context, userID string) error
	// AllApps reads the apps of all users, confirmed or not, a portion at a time.
	AllApps(ctx context.Context) iter.Seq2[App, error]
	// ReplaceSeal replaces the sealed secret of an app. It is NotFound if the user has
	// another app by now.
	ReplaceSeal(ctx context.Context, app App, sealed []byte) error
}

// Apps sets up apps that make codes.
type Apps struct {
	*core
	vault    Vault
	recovery *Recovery
}

// Enrollment is what an app is set up from.
type Enrollment struct {
	// Secret is for typing, and URI for a QR code.
	Secret, URI string
}

// Begin makes a new secret for a user, which counts once they have entered a code. It
// is a Conflict if an app is set up already.
func (a *Apps) Begin(ctx context.Context, user account.User) error {
	secret := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(id.Bytes(a.random, secretLen))
	sealed, err := a.vault.Seal("", sealedFor(user.ID), secret)
	if err != nil {
		return err
	}
	app := App{UserID: user.ID, Sealed: sealed, CreatedAt: a.now()}
	err = a.db.Tx.InTx(ctx, func(ctx context.Context) error { return a.db.Apps.PutApp(ctx, app) })
	if fault.Is(err, fault.Conflict) {
		return fault.New(fault.Conflict, "An authenticator app is set up already. Remove it before you set up another.")
	}
	return err
}

// sealedFor ties a secret to its user, and to nothing else of theirs.
func sealedFor(userID string) string { return "totp:" + userID }

// Pending returns the enrollment that waits for its first code.
func (a *Apps) Pending(ctx context.Context, user account.User) (Enrollment, error) {
	app, err := a.db.Apps.App(ctx, user.ID)
	if err != nil {
		return Enrollment{}, err
	}
	if app.Confirmed {
		return Enrollment{}, fault.New(fault.NotFound, "No authenticator app waits for its first code.")
	}
	secret, err := a.secret(app)
	if err != nil {
		return Enrollment{}, err
	}
	raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	if err != nil {
		return Enrollment{}, err
	}
	key, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: user.Email, Secret: raw, Period: period})
	if err != nil {
		return Enrollment{}, err
	}
	return Enrollment{Secret: secret, URI: key.URL()}, nil
}

// Confirm completes what was begun with a code of the app, in a session, which has
// then shown a second factor. It returns recovery codes if the user had none.
func (a *Apps) Confirm(ctx context.Context, user account.User, session account.Session, code string) (codes []string, err error) {
	app, err := a.db.Apps.App(ctx, user.ID)
	if err != nil {
		return nil, err
	}
	step, err := a.match(app, code)
	if err != nil {
		return nil, err
	}
	return codes, a.db.Tx.InTx(ctx, func(ctx context.Context) error {
		err := a.db.Apps.ConfirmApp(ctx, user.ID, a.now(), step)
		if fault.Is(err, fault.NotFound) {
			return fault.New(fault.Conflict, "This authenticator app is set up already.")
		}
		if err != nil {
			return err
		}
		codes, err = a.recovery.added(ctx, user, session, "An authenticator app.")
		return err
	})
}

// added does what follows a new second factor, in the transaction of ctx. It returns
// recovery codes if the user has none.
func (r *Recovery) added(ctx context.Context, user account.User, session account.Session, what string) ([]string, error) {
	if err := r.db.Sessions.ProveSession(ctx, session.ID, r.now(), true); err != nil {
		return nil, err
	}
	if err := r.record(ctx, user, audit.SecondFactorAdded, what); err != nil {
		return nil, err
	}
	if err := r.tell(ctx, user, newsOfAdded(what)); err != nil {
		return nil, err
	}
	left, err := r.db.Recovery.CountRecoveryCodes(ctx, user.ID)
	if err != nil || left > 0 {
		return nil, err
	}
	return r.replace(ctx, user)
}

// Remove ends a user's app. Removing none is no error.
func (a *Apps) Remove(ctx context.Context, user account.User) error {
	return a.db.Tx.InTx(ctx, func(ctx context.Context) error {
		app, err := a.db.Apps.App(ctx, user.ID)
		if fault.Is(err, fault.NotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := a.db.Apps.DeleteApp(ctx, user.ID); err != nil || !app.Confirmed {
			return err
		}
		return a.removed(ctx, user, "The authenticator app.")
	})
}

// removed does what follows the end of a second factor, in the transaction of ctx.
func (c *core) removed(ctx context.Context, user account.User, what string) error {
	if err := c.settle(ctx, user); err != nil {
		return err
	}
	if err := c.record(ctx, user, audit.SecondFactorRemoved, what); err != nil {
		return err
	}
	return c.tell(ctx, user, newsOfRemoved(what))
}

// use takes a code of a user, in the transaction of ctx: of several requests with one
// code, one succeeds. A code that is wrong or was used is Invalid.
func (a *Apps) use(ctx context.Context, userID, code string) error {
	app, err := a.db.Apps.App(ctx, userID)
	if fault.Is(err, fault.NotFound) || err == nil && !app.Confirmed {
		return wrongCode()
	}
	if err != nil {
		return err
	}
	step, err := a.match(app, code)
	if err != nil {
		return err
	}
	err = a.db.Apps.UseAppStep(ctx, userID, step)
	if fault.Is(err, fault.NotFound) {
		return wrongCode()
	}
	return err
}

// match returns the period whose code it is.
func (a *Apps) match(app App, code string) (step int64, err error) {
	secret, err := a.secret(app)
	if err != nil {
		return 0, err
	}
	code = compact(code)
	present := a.now().Unix() / period
	for step := present - drift; step <= present+drift; step++ {
		want, err := hotp.GenerateCodeCustom(secret, uint64(step), hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err != nil {
			return 0, err
		}
		if subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 && step > app.LastStep {
			return step, nil
		}
	}
	return 0, wrongCode()
}

func (a *Apps) secret(app App) (string, error) {
	secret, err := a.vault.Unseal("", sealedFor(app.UserID), app.Sealed)
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, err, "The codes of this app cannot be checked right now. Ask the operator of this server to look at SECRET_KEY, or use another way.").ForOperator()
	}
	return secret, nil
}

func wrongCode() error {
	return fault.InField("code", "This code is wrong, or was used before. Enter the one that your app shows now.")
}
