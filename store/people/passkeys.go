package people

import (
	"context"
	"time"

	"parley/core/account/factor"
	ent "parley/ent/generated"
	"parley/ent/generated/passkey"
	"parley/store"
)

// Passkeys keeps the passkeys of people.
type Passkeys struct{ store *store.Store }

// NewPasskeys returns the passkeys of a database.
func NewPasskeys(db *store.Store) *Passkeys { return &Passkeys{db} }

// AddPasskey adds a passkey.
func (s *Passkeys) AddPasskey(ctx context.Context, p factor.Passkey) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return db.Passkey.Create().SetID(p.ID).SetUserID(p.UserID).SetCredentialID(p.CredentialID).SetCredential(p.Credential).
			SetName(p.Name).SetCreatedAt(p.CreatedAt).Exec(ctx)
	})
}

// Passkeys returns the passkeys of a user, the oldest first.
func (s *Passkeys) Passkeys(ctx context.Context, userID string) ([]factor.Passkey, error) {
	rows, err := s.store.Client(ctx).Passkey.Query().Where(passkey.UserID(userID)).
		Order(ent.Asc(passkey.FieldCreatedAt, passkey.FieldID)).All(ctx)
	return store.Mapped(rows, err, func(row *ent.Passkey) factor.Passkey {
		p := factor.Passkey{
			ID: row.ID, UserID: row.UserID, CredentialID: row.CredentialID, Credential: row.Credential, Name: row.Name, CreatedAt: row.CreatedAt.UTC(),
		}
		if row.LastUsedAt != nil {
			used := row.LastUsedAt.UTC()
			p.LastUsedAt = &used
		}
		return p
	})
}

// UsePasskey records a use, and what the credential is after it.
func (s *Passkeys) UsePasskey(ctx context.Context, userID, id, credential string, at time.Time) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.Passkey.Update().Where(passkey.ID(id), passkey.UserID(userID)).SetCredential(credential).SetLastUsedAt(at).Save(ctx))
	})
}

// RenamePasskey gives a passkey another name.
func (s *Passkeys) RenamePasskey(ctx context.Context, userID, id, name string) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.Passkey.Update().Where(passkey.ID(id), passkey.UserID(userID)).SetName(name).Save(ctx))
	})
}

// DeletePasskey removes a passkey of a user.
func (s *Passkeys) DeletePasskey(ctx context.Context, userID, id string) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.Passkey.Delete().Where(passkey.ID(id), passkey.UserID(userID)).Exec(ctx))
	})
}
