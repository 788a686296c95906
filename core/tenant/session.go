package tenant

import (
	"context"
	"time"

	"parley/core/fault"
)

// How long a session lives without use, and at the most.
const (
	sessionIdle     = 7 * 24 * time.Hour
	SessionLifetime = 30 * 24 * time.Hour
	// touchEvery spares a write on each request.
	touchEvery = time.Minute
)

// SignIn checks a password and returns the secret of a new session. The
// address is the caller's, for throttling. Unknown accounts and wrong
// passwords give the same fault after the same work.
func (s *Service) SignIn(ctx context.Context, email, password, address string) (string, error) {
	email = normalEmail(email)
	attempt, err := s.countAttempt(ctx, signInLimits(email, address)...)
	if err != nil {
		return "", err
	}
	user, err := s.store.UserByEmail(ctx, email)
	if fault.Is(err, fault.NotFound) {
		if err := s.hasher.pretend(ctx, password); err != nil {
			return "", err
		}
		return "", wrongPassword()
	}
	if err != nil {
		return "", err
	}
	ok, outdated, err := s.hasher.verify(ctx, user.PasswordHash, password)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", wrongPassword()
	}
	if outdated {
		if err := s.rehash(ctx, user.ID, password); err != nil {
			return "", err
		}
	}
	if err := attempt.forgive(ctx); err != nil {
		return "", err
	}
	return s.StartSession(ctx, user.ID)
}

func wrongPassword() error {
	return fault.New(fault.Unauthenticated, "The e-mail address or the password is wrong.")
}

func (s *Service) rehash(ctx context.Context, userID, password string) error {
	hash, err := s.hasher.hash(ctx, password)
	if err != nil {
		return err
	}
	return s.store.InTx(ctx, func(ctx context.Context) error { return s.store.SetPassword(ctx, userID, hash) })
}

// StartSession returns the secret of a new session of a user who has just
// proved who they are.
func (s *Service) StartSession(ctx context.Context, userID string) (string, error) {
	secret, now := newSecret(s.random), s.now()
	session := Session{
		ID: hashSecret(secret), UserID: userID,
		CreatedAt: now, LastSeenAt: now, ExpiresAt: now.Add(SessionLifetime),
	}
	err := s.store.InTx(ctx, func(ctx context.Context) error { return s.store.CreateSession(ctx, session) })
	return secret, err
}

// SignOut ends the session with that secret. One that has ended is no error.
func (s *Service) SignOut(ctx context.Context, secret string) error {
	return s.store.InTx(ctx, func(ctx context.Context) error {
		return s.store.DeleteSession(ctx, hashSecret(secret))
	})
}

// Person returns who holds a session's secret. It is Unauthenticated when the
// session is unknown or has expired.
func (s *Service) Person(ctx context.Context, secret string) (Person, error) {
	signedOut := fault.New(fault.Unauthenticated, "Sign in to go on.")
	if secret == "" {
		return Person{}, signedOut
	}
	session, err := s.store.Session(ctx, hashSecret(secret))
	if fault.Is(err, fault.NotFound) {
		return Person{}, signedOut
	}
	if err != nil {
		return Person{}, err
	}
	now := s.now()
	if !now.Before(session.ExpiresAt) || now.Sub(session.LastSeenAt) >= sessionIdle {
		return Person{}, signedOut
	}
	if now.Sub(session.LastSeenAt) >= touchEvery {
		err := s.store.InTx(ctx, func(ctx context.Context) error {
			return s.store.TouchSession(ctx, session.ID, now)
		})
		if err != nil {
			return Person{}, err
		}
	}
	return s.person(ctx, session.UserID)
}

func (s *Service) person(ctx context.Context, userID string) (Person, error) {
	user, err := s.store.User(ctx, userID)
	if err != nil {
		return Person{}, err
	}
	memberships, err := s.store.Memberships(ctx, userID)
	return Person{User: user, Memberships: memberships}, err
}
