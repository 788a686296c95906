// Package people keeps people, how they sign in, their workspaces and who is a member of
// which.
package people

import (
	"context"
	"iter"
	"time"

	"parley/core/account"
	"parley/core/fault"
	"parley/core/knowledge/browse"
	ent "parley/ent/generated"
	"parley/ent/generated/user"
	"parley/store"
)

// Users keeps the people who sign in.
type Users struct{ store *store.Store }

// NewUsers returns the users of a database.
func NewUsers(db *store.Store) *Users { return &Users{db} }

// CreateUser adds a user.
func (s *Users) CreateUser(ctx context.Context, u account.User) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return db.User.Create().SetID(u.ID).SetEmail(u.Email).SetNillableEmailConfirmedAt(u.EmailConfirmedAt).
			SetPasswordHash(u.PasswordHash).SetCreatedAt(u.CreatedAt).Exec(ctx)
	})
}

// User returns one user.
func (s *Users) User(ctx context.Context, id string) (account.User, error) {
	row, err := s.store.Client(ctx).User.Get(ctx, id)
	return store.One(row, err, userFromRow)
}

// UserByEmail returns the user with an address in lower case.
func (s *Users) UserByEmail(ctx context.Context, email string) (account.User, error) {
	row, err := s.store.Client(ctx).User.Query().Where(user.Email(email)).Only(ctx)
	if ent.IsNotFound(err) {
		return account.User{}, fault.New(fault.NotFound, "User not found.")
	}
	return store.One(row, err, userFromRow)
}

// Users reads all users, oldest first.
func (s *Users) Users(ctx context.Context) iter.Seq2[account.User, error] {
	return store.InKeyOrder(ctx, func(ctx context.Context, after browse.Cursor) ([]account.User, error) {
		rows, err := s.store.Client(ctx).User.Query().Where(store.Sliced(store.Oldest(after), user.FieldCreatedAt)).All(ctx)
		return store.Mapped(rows, err, userFromRow)
	}, func(u account.User) browse.Cursor { return browse.Cursor{At: u.CreatedAt, ID: u.ID} })
}

// CountUsers returns how many users there are.
func (s *Users) CountUsers(ctx context.Context) (int, error) {
	n, err := s.store.Client(ctx).User.Query().Count(ctx)
	return n, store.MapError(err)
}

// LockUsers makes other transactions that create users wait until this one
// ends. On SQLite the transaction itself does: there is one writer.
func (s *Users) LockUsers(ctx context.Context) error {
	if s.store.IsSQLite() {
		return nil
	}
	_, err := s.store.Raw(ctx).ExecContext(ctx, `LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE`)
	return store.MapError(err)
}

// SetPassword replaces a user's password hash.
func (s *Users) SetPassword(ctx context.Context, userID, passwordHash string) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.User.Update().Where(user.ID(userID)).SetPasswordHash(passwordHash).Save(ctx))
	})
}

// SetEmail replaces a user's address with one that is confirmed.
func (s *Users) SetEmail(ctx context.Context, userID, email string, confirmedAt time.Time) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.User.Update().Where(user.ID(userID)).SetEmail(email).SetEmailConfirmedAt(confirmedAt).Save(ctx))
	})
}

// SetProfile replaces how a user is called and sees the dashboard.
func (s *Users) SetProfile(ctx context.Context, userID string, p account.Profile) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.User.Update().Where(user.ID(userID)).SetName(p.Name).SetTimeZone(p.TimeZone).
			SetAppearance(string(p.Appearance)).Save(ctx))
	})
}

func userFromRow(row *ent.User) account.User {
	return account.User{
		ID: row.ID, Email: row.Email, EmailConfirmedAt: store.UTC(row.EmailConfirmedAt), PasswordHash: row.PasswordHash, CreatedAt: row.CreatedAt.UTC(),
		Profile: account.Profile{Name: row.Name, TimeZone: row.TimeZone, Appearance: account.Appearance(row.Appearance)},
	}
}
