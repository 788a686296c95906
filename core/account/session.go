package account

import (
	"context"
	"io"
	"net/netip"
	"time"

	"parley/core/account/signin"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/outbox"
	"parley/internal/id"
	"parley/internal/netgroup"
)

// How long a session lives without use, and at most.
const (
	sessionIdle     = 7 * 24 * time.Hour
	SessionLifetime = 30 * 24 * time.Hour
	// touchEvery saves writing on every request.
	touchEvery = time.Minute
)

// Session is a signed-in browser.
type Session struct {
	// ID is the SHA-256, in hex, of the secret that the browser holds.
	ID         string
	UserID     string
	LastSeenAt time.Time
	// ExpiresAt ends the session even if it is in use.
	ExpiresAt time.Time
	CreatedAt time.Time
	// Agent is what the browser said of itself when the person signed in, and
	// Network the network of one client that it was in: see package netgroup.
	Agent, Network string
	// LastNetwork is the one of the last use.
	LastNetwork string
	// ProvedAt is when the person last showed in this session who they are.
	ProvedAt time.Time
	// ProvedLately says that it was lately when the session was looked up.
	ProvedLately bool
	signin.Proof
}

const maxAgent = 400

// endedAt reports whether a session does not let anybody in any more.
func (s Session) endedAt(now time.Time) bool {
	return !now.Before(s.ExpiresAt) || now.Sub(s.LastSeenAt) >= sessionIdle
}

// SessionStore stores sessions.
type SessionStore interface {
	CreateSession(ctx context.Context, session Session) error
	Session(ctx context.Context, id string) (Session, error)
	// TouchSession records a use and the network that it came from.
	TouchSession(ctx context.Context, id string, at time.Time, network string) error
	// ProveSession records that the person showed at a time who they are, and
	// whether with a second factor; one that was shown before counts still.
	ProveSession(ctx context.Context, id string, at time.Time, secondFactor bool) error
	// ForgetSecondFactor makes no session of a user have shown a second factor.
	ForgetSecondFactor(ctx context.Context, userID string) error
	DeleteSession(ctx context.Context, id string) error
	DeleteSessions(ctx context.Context, userID string) error
	// SessionsOf returns a user's sessions, the most recently used first.
	SessionsOf(ctx context.Context, userID string) ([]Session, error)
	// DeleteExpired removes sessions, steps, devices, address codes and counts of
	// attempts that have expired at the given time.
	DeleteExpired(ctx context.Context, now time.Time) error
}

// Sessions signs people in and out.
type Sessions struct {
	db        Database
	mails     *outbox.Writer
	passwords *Passwords
	rule      signInRule
	steps     *signin.Steps
	now       func() time.Time
	random    io.Reader
}

// FactorStore knows who has a second factor; package factor sets it up.
type FactorStore interface {
	// HasSecondFactor reports whether a user has an app that makes codes and was
	// confirmed, or a passkey.
	HasSecondFactor(ctx context.Context, userID string) (bool, error)
	// DeleteSecondFactors removes all apps, passkeys and recovery codes of a user.
	DeleteSecondFactors(ctx context.Context, userID string) error
}

// signInRule knows in which ways a user may sign in; package sso implements it.
type signInRule interface {
	// MaySignIn refuses, as Forbidden, a proof that the user's workspace does not accept.
	MaySignIn(ctx context.Context, user User, proof signin.Proof) error
}

// Keys are the secrets that a browser gets at a sign-in.
type Keys struct {
	UserID string
	// Session is the secret of the session.
	Session string
	// Device shows, for longer than a session lasts, that the person has signed
	// in here before. It grants no access.
	Device string
	// Step is the secret of a [signin.SecondFactor], where the person has to show a
	// second factor first. There is no session then.
	Step string
}

// SignIn checks a password and returns the secrets of a new session, or of a step that
// waits for the second factor. Unknown accounts and wrong passwords give the same
// fault after the same work.
func (s *Sessions) SignIn(ctx context.Context, email, password string, client Client) (Keys, error) {
	user, err := s.passwords.prove(ctx, normalEmail(email), password, client)
	if err != nil {
		return Keys{}, err
	}
	return s.Start(ctx, user.ID, signin.Proof{Method: signin.ByPassword}, client)
}

// Start returns the secrets of a new session for a user who has just proved
// their identity. Every sign-in ends here, so that none passes the second factor: one
// who has set it up and has not shown it gets the secret of a step that waits for it. It is
// Forbidden where a workspace of the user accepts only its own identity provider.
func (s *Sessions) Start(ctx context.Context, userID string, proof signin.Proof, client Client) (keys Keys, err error) {
	user, err := s.db.Users.User(ctx, userID)
	if err != nil {
		return Keys{}, err
	}
	if err := s.rule.MaySignIn(ctx, user, proof); err != nil {
		return Keys{}, err
	}
	ctx = audit.AsPerson(ctx, user.ID, user.Email)
	err = s.db.Tx.InTx(ctx, func(ctx context.Context) error {
		keys = Keys{UserID: user.ID}
		has, err := s.db.Factors.HasSecondFactor(ctx, userID)
		switch {
		case err != nil:
			return err
		case has && !proof.SecondFactor:
			keys.Step, err = s.steps.Begin(ctx, signin.SecondFactor, userID, signin.Unfinished{Method: proof.Method, SSOWorkspaceID: proof.SSOWorkspaceID}.Data(), signin.SecondFactorWait)
			return err
		}
		keys.Session, keys.Device, err = s.begin(ctx, user, proof, client)
		return err
	})
	return keys, err
}

// begin starts a session, in the transaction of ctx.
func (s *Sessions) begin(ctx context.Context, user User, proof signin.Proof, client Client) (secret, device string, err error) {
	now := s.now()
	secret = id.Secret(s.random)
	session := Session{
		ID: id.Hash(secret), UserID: user.ID,
		CreatedAt: now, LastSeenAt: now, ProvedAt: proof.ShownAt(now), ExpiresAt: now.Add(SessionLifetime),
		Agent: storedAgent(client.Agent), Proof: proof,
	}
	if client.Address.IsValid() {
		session.Network = netgroup.Of(client.Address).String()
		session.LastNetwork = session.Network
	}
	if err := s.db.Sessions.CreateSession(ctx, session); err != nil {
		return "", "", err
	}
	if err := audit.Record(ctx, s.db.Audit, "", now, audit.Entry{Action: audit.SignedIn, Object: user.object(), Detail: proof.Sentence()}); err != nil {
		return "", "", err
	}
	device, err = s.trust(ctx, user, client, session)
	return secret, device, err
}

// SignOut ends the session with a secret. An ended session is not an error.
func (s *Sessions) SignOut(ctx context.Context, secret string) error {
	return s.db.Tx.InTx(ctx, func(ctx context.Context) error {
		session, err := s.db.Sessions.Session(ctx, id.Hash(secret))
		if fault.Is(err, fault.NotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		user, err := s.db.Users.User(ctx, session.UserID)
		if err != nil {
			return err
		}
		if err := s.db.Sessions.DeleteSession(ctx, session.ID); err != nil {
			return err
		}
		ctx = audit.AsPerson(ctx, user.ID, user.Email)
		return audit.Record(ctx, s.db.Audit, "", s.now(), audit.Entry{Action: audit.SignedOut, Object: user.object()})
	})
}

// SignedIn returns the user with a session's secret, and the session. It is
// Unauthenticated if the session is unknown or has expired.
func (s *Sessions) SignedIn(ctx context.Context, secret string) (User, Session, error) {
	signedOut := fault.New(fault.Unauthenticated, "Sign in to continue.")
	if secret == "" {
		return User{}, Session{}, signedOut
	}
	session, err := s.db.Sessions.Session(ctx, id.Hash(secret))
	if fault.Is(err, fault.NotFound) {
		return User{}, Session{}, signedOut
	}
	if err != nil {
		return User{}, Session{}, err
	}
	now := s.now()
	if session.endedAt(now) {
		return User{}, Session{}, signedOut
	}
	if now.Sub(session.LastSeenAt) >= touchEvery {
		session.LastSeenAt, session.LastNetwork = now, networkOf(ctx)
		err := s.db.Tx.InTx(ctx, func(ctx context.Context) error {
			return s.db.Sessions.TouchSession(ctx, session.ID, now, session.LastNetwork)
		})
		if err != nil && !fault.IsOutOfStorage(err) { // then people still read
			return User{}, Session{}, err
		}
	}
	session.ProvedLately = now.Sub(session.ProvedAt) < ProofLifetime
	user, err := s.db.Users.User(ctx, session.UserID)
	return user, session, err
}

// networkOf is the network of one client from which the request of a context comes,
// empty if it comes from none.
func networkOf(ctx context.Context) string {
	address, err := netip.ParseAddr(audit.OriginOf(ctx).Address)
	if err != nil {
		return ""
	}
	return netgroup.Of(address).String()
}

// DeleteExpired removes expired sessions, steps, trusted browsers, links and counts of
// attempts.
func (s *Sessions) DeleteExpired(ctx context.Context) error {
	return s.db.Sessions.DeleteExpired(ctx, s.now())
}
