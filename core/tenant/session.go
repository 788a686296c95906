package tenant

import (
	"context"
	"errors"
	"time"

	"parley/core/audit"
	"parley/core/fault"
)

// How long a session lives without use, and at the most.
const (
	sessionIdle     = 7 * 24 * time.Hour
	SessionLifetime = 30 * 24 * time.Hour
	// touchEvery spares a write on each request.
	touchEvery = time.Minute
)

// Keys are the secrets that a browser gets when a person signs in.
type Keys struct {
	// Session is the session's.
	Session string
	// Device says, for longer than a session lasts, that the person has signed
	// in here before. It opens nothing.
	Device string
}

// SignIn checks a password and returns the secrets of a new session. Unknown
// accounts and wrong passwords give the same fault after the same work.
func (s *Service) SignIn(ctx context.Context, email, password string, client Client) (Keys, error) {
	user, err := s.prove(ctx, normalEmail(email), password, client)
	if err != nil {
		return Keys{}, err
	}
	return s.StartSession(ctx, user.ID, client)
}

// prove returns the user with an address and password. It is the one way on
// which a password is compared: each attempt is counted by the account.
func (s *Service) prove(ctx context.Context, email, password string, client Client) (User, error) {
	attempt, err := s.countGuess(ctx, email, client)
	if err != nil {
		return User{}, err
	}
	user, err := s.store.UserByEmail(ctx, email)
	unknown := fault.Is(err, fault.NotFound)
	if err != nil && !unknown {
		return User{}, err
	}
	if unknown {
		user.PasswordHash = s.hasher.decoy
	}
	ok, outdated, err := s.hasher.verify(ctx, client.Address, user.PasswordHash, password)
	if fault.Is(err, fault.Unavailable) { // nothing was compared
		return User{}, errors.Join(err, attempt.forgive(context.WithoutCancel(ctx)))
	}
	if err != nil {
		return User{}, err
	}
	if !ok || unknown {
		return User{}, s.refuseGuess(ctx, email, user, attempt)
	}
	if outdated {
		if err := s.rehash(ctx, user.ID, password, client); err != nil {
			return User{}, err
		}
	}
	return user, attempt.forgive(ctx)
}

func (s *Service) rehash(ctx context.Context, userID, password string, client Client) error {
	hash, err := s.hasher.hash(ctx, client.Address, password)
	if err != nil {
		return err
	}
	return s.store.InTx(ctx, func(ctx context.Context) error { return s.store.SetPassword(ctx, userID, hash) })
}

// StartSession returns the secrets of a new session of a user who has just
// proved who they are.
func (s *Service) StartSession(ctx context.Context, userID string, client Client) (keys Keys, err error) {
	user, err := s.store.User(ctx, userID)
	if err != nil {
		return Keys{}, err
	}
	now := s.now()
	keys.Session = newSecret(s.random)
	session := Session{
		ID: hashSecret(keys.Session), UserID: userID,
		CreatedAt: now, LastSeenAt: now, ExpiresAt: now.Add(SessionLifetime),
	}
	ctx = audit.AsPerson(ctx, user.ID, user.Email)
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		if err := s.store.CreateSession(ctx, session); err != nil {
			return err
		}
		if err := s.record(ctx, "", audit.Entry{Action: audit.SignedIn, Object: account(user)}); err != nil {
			return err
		}
		keys.Device, err = s.trust(ctx, userID, client.Device)
		return err
	})
	return keys, err
}

// SignOut ends the session with that secret. One that has ended is no error.
func (s *Service) SignOut(ctx context.Context, secret string) error {
	return s.store.InTx(ctx, func(ctx context.Context) error {
		session, err := s.store.Session(ctx, hashSecret(secret))
		if fault.Is(err, fault.NotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		user, err := s.store.User(ctx, session.UserID)
		if err != nil {
			return err
		}
		if err := s.store.DeleteSession(ctx, session.ID); err != nil {
			return err
		}
		ctx = audit.AsPerson(ctx, user.ID, user.Email)
		return s.record(ctx, "", audit.Entry{Action: audit.SignedOut, Object: account(user)})
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
