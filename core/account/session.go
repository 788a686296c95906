package account

import (
	"context"
	"io"
	"time"

	"parley/core/audit"
	"parley/core/fault"
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
	TouchSession(ctx context.Context, id string, at time.Time) error
	DeleteSession(ctx context.Context, id string) error
	DeleteSessions(ctx context.Context, userID string) error
	// SessionsOf returns those of a user, the one that was used last first.
	SessionsOf(ctx context.Context, userID string) ([]Session, error)
	// DeleteExpired removes sessions, devices, address codes and counts of
	// attempts that have expired at the given time.
	DeleteExpired(ctx context.Context, now time.Time) error
}

// Sessions signs people in and out.
type Sessions struct {
	db        Database
	passwords *Passwords
	now       func() time.Time
	random    io.Reader
}

// Keys are the secrets that a browser gets at a sign-in.
type Keys struct {
	// Session is the secret of the session.
	Session string
	// Device shows, for longer than a session lasts, that the person has signed
	// in here before. It grants no access.
	Device string
}

// SignIn checks a password and returns the secrets of a new session. Unknown accounts
// and wrong passwords give the same fault after the same work.
func (s *Sessions) SignIn(ctx context.Context, email, password string, client Client) (Keys, error) {
	user, err := s.passwords.prove(ctx, normalEmail(email), password, client)
	if err != nil {
		return Keys{}, err
	}
	return s.Start(ctx, user.ID, client)
}

// Start returns the secrets of a new session for a user who has just proved
// their identity.
func (s *Sessions) Start(ctx context.Context, userID string, client Client) (keys Keys, err error) {
	user, err := s.db.Users.User(ctx, userID)
	if err != nil {
		return Keys{}, err
	}
	now := s.now()
	keys.Session = id.Secret(s.random)
	session := Session{
		ID: id.Hash(keys.Session), UserID: userID,
		CreatedAt: now, LastSeenAt: now, ExpiresAt: now.Add(SessionLifetime),
		Agent: storedAgent(client.Agent),
	}
	if client.Address.IsValid() {
		session.Network = netgroup.Of(client.Address).String()
	}
	ctx = audit.AsPerson(ctx, user.ID, user.Email)
	err = s.db.Tx.InTx(ctx, func(ctx context.Context) error {
		if err := s.db.Sessions.CreateSession(ctx, session); err != nil {
			return err
		}
		if err := audit.Record(ctx, s.db.Audit, "", s.now(), audit.Entry{Action: audit.SignedIn, Object: user.object()}); err != nil {
			return err
		}
		keys.Device, err = s.trust(ctx, userID, client.Device)
		return err
	})
	return keys, err
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

// User returns the user with a session's secret. It is Unauthenticated if the session
// is unknown or has expired.
func (s *Sessions) User(ctx context.Context, secret string) (User, error) {
	signedOut := fault.New(fault.Unauthenticated, "Sign in to continue.")
	if secret == "" {
		return User{}, signedOut
	}
	session, err := s.db.Sessions.Session(ctx, id.Hash(secret))
	if fault.Is(err, fault.NotFound) {
		return User{}, signedOut
	}
	if err != nil {
		return User{}, err
	}
	now := s.now()
	if session.endedAt(now) {
		return User{}, signedOut
	}
	if now.Sub(session.LastSeenAt) >= touchEvery {
		err := s.db.Tx.InTx(ctx, func(ctx context.Context) error {
			return s.db.Sessions.TouchSession(ctx, session.ID, now)
		})
		if err != nil {
			return User{}, err
		}
	}
	return s.db.Users.User(ctx, session.UserID)
}

// DeleteExpired removes expired sessions, trusted browsers, links and counts of
// attempts.
func (s *Sessions) DeleteExpired(ctx context.Context) error {
	return s.db.Sessions.DeleteExpired(ctx, s.now())
}
