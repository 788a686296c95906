package store

import (
	"context"
	"time"

	"entgo.io/ent/dialect"

	"parley/core/fault"
	"parley/core/tenant"
	"parley/ent"
	"parley/ent/addresscode"
	"parley/ent/device"
	"parley/ent/invitation"
	"parley/ent/member"
	"parley/ent/scope"
	"parley/ent/session"
	"parley/ent/signinattempt"
	"parley/ent/user"
)

// CreateUser adds a user.
func (s *Store) CreateUser(ctx context.Context, u tenant.User) error {
	return s.write(ctx, func(ctx context.Context, db *ent.Client) error {
		return db.User.Create().SetID(u.ID).SetEmail(u.Email).SetPasswordHash(u.PasswordHash).SetCreatedAt(u.CreatedAt).Exec(ctx)
	})
}

// User returns one user.
func (s *Store) User(ctx context.Context, id string) (tenant.User, error) {
	row, err := s.db(ctx).User.Get(ctx, id)
	return one(row, err, toUser)
}

// UserByEmail returns the user with an address in lower case.
func (s *Store) UserByEmail(ctx context.Context, email string) (tenant.User, error) {
	row, err := s.db(ctx).User.Query().Where(user.Email(email)).Only(ctx)
	if ent.IsNotFound(err) {
		return tenant.User{}, fault.New(fault.NotFound, "User not found.")
	}
	return one(row, err, toUser)
}

// Users returns all users, oldest first.
func (s *Store) Users(ctx context.Context) ([]tenant.User, error) {
	rows, err := s.db(ctx).User.Query().Order(user.ByCreatedAt(), user.ByID()).All(ctx)
	return mapped(rows, err, toUser)
}

// CountUsers returns how many users there are.
func (s *Store) CountUsers(ctx context.Context) (int, error) {
	n, err := s.db(ctx).User.Query().Count(ctx)
	return n, mapError(err)
}

// LockUsers makes others who create users wait until the transaction ends. On
// SQLite the transaction itself does: there is one writer.
func (s *Store) LockUsers(ctx context.Context) error {
	if s.dialect != dialect.Postgres {
		return nil
	}
	_, err := s.raw(ctx).ExecContext(ctx, `LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE`)
	return mapError(err)
}

// SetPassword replaces a user's password hash.
func (s *Store) SetPassword(ctx context.Context, userID, passwordHash string) error {
	return s.write(ctx, func(ctx context.Context, db *ent.Client) error {
		return affected(db.User.Update().Where(user.ID(userID)).SetPasswordHash(passwordHash).Save(ctx))
	})
}

// SetEmail replaces a user's address.
func (s *Store) SetEmail(ctx context.Context, userID, email string) error {
	return s.write(ctx, func(ctx context.Context, db *ent.Client) error {
		return affected(db.User.Update().Where(user.ID(userID)).SetEmail(email).Save(ctx))
	})
}

// Memberships returns the workspaces of a user, oldest first.
func (s *Store) Memberships(ctx context.Context, userID string) ([]tenant.Membership, error) {
	rows, err := s.db(ctx).Member.Query().Where(member.UserID(userID)).WithWorkspace().
		Order(member.ByCreatedAt(), member.ByID()).All(scope.System(ctx))
	return mapped(rows, err, func(row *ent.Member) tenant.Membership {
		return tenant.Membership{
			Workspace: toWorkspace(row.Edges.Workspace), Role: tenant.Role(row.Role), OverLimit: row.OverLimit,
		}
	})
}

// CreateSession adds a session.
func (s *Store) CreateSession(ctx context.Context, session tenant.Session) error {
	return s.write(ctx, func(ctx context.Context, db *ent.Client) error {
		return db.Session.Create().SetID(session.ID).SetUserID(session.UserID).SetCreatedAt(session.CreatedAt).
			SetLastSeenAt(session.LastSeenAt).SetExpiresAt(session.ExpiresAt).Exec(ctx)
	})
}

// Session returns one session.
func (s *Store) Session(ctx context.Context, id string) (tenant.Session, error) {
	row, err := s.db(ctx).Session.Get(ctx, id)
	return one(row, err, func(row *ent.Session) tenant.Session {
		return tenant.Session{
			ID: row.ID, UserID: row.UserID, CreatedAt: row.CreatedAt.UTC(),
			LastSeenAt: row.LastSeenAt.UTC(), ExpiresAt: row.ExpiresAt.UTC(),
		}
	})
}

// TouchSession records the use of a session.
func (s *Store) TouchSession(ctx context.Context, id string, at time.Time) error {
	return s.write(ctx, func(ctx context.Context, db *ent.Client) error {
		return db.Session.Update().Where(session.ID(id)).SetLastSeenAt(at).Exec(ctx)
	})
}

// DeleteSession removes a session, if it is there.
func (s *Store) DeleteSession(ctx context.Context, id string) error {
	return s.write(ctx, func(ctx context.Context, db *ent.Client) error {
		_, err := db.Session.Delete().Where(session.ID(id)).Exec(ctx)
		return err
	})
}

// DeleteSessions removes all sessions of a user.
func (s *Store) DeleteSessions(ctx context.Context, userID string) error {
	return s.write(ctx, func(ctx context.Context, db *ent.Client) error {
		_, err := db.Session.Delete().Where(session.UserID(userID)).Exec(ctx)
		return err
	})
}

// DeleteExpired removes what no longer matters.
func (s *Store) DeleteExpired(ctx context.Context, now time.Time) error {
	return s.InTx(scope.System(ctx), func(ctx context.Context) error {
		db := s.db(ctx)
		if _, err := db.Session.Delete().Where(session.ExpiresAtLT(now)).Exec(ctx); err != nil {
			return err
		}
		if _, err := db.Device.Delete().Where(device.ExpiresAtLT(now)).Exec(ctx); err != nil {
			return err
		}
		if _, err := db.AddressCode.Delete().Where(addresscode.ExpiresAtLT(now)).Exec(ctx); err != nil {
			return err
		}
		if _, err := db.Invitation.Delete().Where(invitation.ExpiresAtLT(now)).Exec(ctx); err != nil {
			return err
		}
		_, err := db.SignInAttempt.Delete().Where(signinattempt.LastAtLT(now.Add(-24 * time.Hour))).Exec(ctx)
		return err
	})
}

// CountAttempt adds one to the count of key and returns it.
func (s *Store) CountAttempt(ctx context.Context, key string, since, now time.Time) (int, error) {
	count := 0
	err := s.InTx(ctx, func(ctx context.Context) error {
		db := s.db(ctx)
		if _, err := db.SignInAttempt.Delete().Where(signinattempt.ID(key), signinattempt.LastAtLT(since)).Exec(ctx); err != nil {
			return err
		}
		err := db.SignInAttempt.Create().SetID(key).SetFailures(1).SetLastAt(now).
			OnConflictColumns(signinattempt.FieldID).
			Update(func(u *ent.SignInAttemptUpsert) { u.AddFailures(1).SetLastAt(now) }).Exec(ctx)
		if err != nil {
			return err
		}
		row, err := db.SignInAttempt.Get(ctx, key)
		if err != nil {
			return err
		}
		count = row.Failures
		return nil
	})
	return count, err
}

// ForgiveAttempt takes one from the count of key.
func (s *Store) ForgiveAttempt(ctx context.Context, key string) error {
	return s.write(ctx, func(ctx context.Context, db *ent.Client) error {
		return db.SignInAttempt.Update().Where(signinattempt.ID(key), signinattempt.FailuresGT(0)).AddFailures(-1).Exec(ctx)
	})
}

func toUser(row *ent.User) tenant.User {
	return tenant.User{ID: row.ID, Email: row.Email, PasswordHash: row.PasswordHash, CreatedAt: row.CreatedAt.UTC()}
}
