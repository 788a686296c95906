package people

import (
	"context"
	"errors"
	"time"

	"parley/core/account"
	"parley/core/account/signin"
	ent "parley/ent/generated"
	"parley/ent/generated/session"
	"parley/store"
)

// Sessions keeps signed-in browsers.
type Sessions struct{ store *store.Store }

// NewSessions returns the sessions of a database.
func NewSessions(db *store.Store) *Sessions { return &Sessions{db} }

// CreateSession adds a session.
func (s *Sessions) CreateSession(ctx context.Context, session account.Session) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return db.Session.Create().SetID(session.ID).SetUserID(session.UserID).SetCreatedAt(session.CreatedAt).
			SetLastSeenAt(session.LastSeenAt).SetExpiresAt(session.ExpiresAt).
			SetUserAgent(session.Agent).SetNetwork(session.Network).SetLastNetwork(session.LastNetwork).
			SetProvedAt(session.ProvedAt).SetMethod(string(session.Method)).SetSecondFactor(session.SecondFactor).
			SetSSOWorkspaceID(session.SSOWorkspaceID).Exec(ctx)
	})
}

// Session returns one session.
func (s *Sessions) Session(ctx context.Context, id string) (account.Session, error) {
	row, err := s.store.Client(ctx).Session.Get(ctx, id)
	return store.One(row, err, sessionFromRow)
}

// SessionsOf returns the sessions of a user, the last used one first.
func (s *Sessions) SessionsOf(ctx context.Context, userID string) ([]account.Session, error) {
	rows, err := s.store.Client(ctx).Session.Query().Where(session.UserID(userID)).
		Order(ent.Desc(session.FieldLastSeenAt), ent.Desc(session.FieldID)).All(ctx)
	return store.Mapped(rows, err, sessionFromRow)
}

func sessionFromRow(row *ent.Session) account.Session {
	proved := row.CreatedAt // what earlier versions knew
	if row.ProvedAt != nil {
		proved = *row.ProvedAt
	}
	return account.Session{
		ID: row.ID, UserID: row.UserID, CreatedAt: row.CreatedAt.UTC(),
		LastSeenAt: row.LastSeenAt.UTC(), ExpiresAt: row.ExpiresAt.UTC(), ProvedAt: proved.UTC(),
		Agent: row.UserAgent, Network: row.Network, LastNetwork: row.LastNetwork,
		Proof: signin.Proof{Method: signin.Method(row.Method), SecondFactor: row.SecondFactor, SSOWorkspaceID: row.SSOWorkspaceID},
	}
}

// TouchSession records the use of a session.
func (s *Sessions) TouchSession(ctx context.Context, id string, at time.Time, network string) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return db.Session.Update().Where(session.ID(id)).SetLastSeenAt(at).SetLastNetwork(network).Exec(ctx)
	})
}

// ProveSession records that a person showed in a session who they are.
func (s *Sessions) ProveSession(ctx context.Context, id string, at time.Time, secondFactor bool) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		update := db.Session.Update().Where(session.ID(id)).SetProvedAt(at)
		if secondFactor {
			update.SetSecondFactor(true)
		}
		return store.Affected(update.Save(ctx))
	})
}

// ForgetSecondFactor makes no session of a user have shown a second factor.
func (s *Sessions) ForgetSecondFactor(ctx context.Context, userID string) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return db.Session.Update().Where(session.UserID(userID)).SetSecondFactor(false).Exec(ctx)
	})
}

// DeleteSession removes a session, if it is there.
func (s *Sessions) DeleteSession(ctx context.Context, id string) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		_, err := db.Session.Delete().Where(session.ID(id)).Exec(ctx)
		return err
	})
}

// DeleteSessions removes all sessions of a user.
func (s *Sessions) DeleteSessions(ctx context.Context, userID string) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		_, err := db.Session.Delete().Where(session.UserID(userID)).Exec(ctx)
		return err
	})
}

// DeleteExpired removes what no longer matters.
func (s *Sessions) DeleteExpired(ctx context.Context, now time.Time) error {
	return errors.Join(
		s.store.Expire(ctx, "sessions", "expires_at < $1", now),
		s.store.Expire(ctx, "sign_in_steps", "expires_at < $1", now),
		s.store.Expire(ctx, "devices", "expires_at < $1", now),
		s.store.Expire(ctx, "address_codes", "expires_at < $1", now),
		s.store.Expire(ctx, "sign_in_attempts", "last_at < $1", now.Add(-24*time.Hour)))
}
