package people

import (
	"context"

	"parley/core/account"
	ent "parley/ent/generated"
	"parley/ent/generated/addresscode"
	"parley/store"
)

// AddressCodes keeps links that were mailed to addresses.
type AddressCodes struct{ store *store.Store }

// NewAddressCodes returns the address codes of a database.
func NewAddressCodes(db *store.Store) *AddressCodes { return &AddressCodes{db} }

// CreateAddressCode adds a link that is mailed to an address.
func (s *AddressCodes) CreateAddressCode(ctx context.Context, c account.AddressCode) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return db.AddressCode.Create().SetID(c.Hash).SetEmail(c.Email).SetUserID(c.UserID).SetPurpose(c.Purpose).
			SetCreatedAt(c.CreatedAt).SetExpiresAt(c.ExpiresAt).Exec(ctx)
	})
}

// AddressCode returns the link with the hash of its code.
func (s *AddressCodes) AddressCode(ctx context.Context, hash string) (account.AddressCode, error) {
	row, err := s.store.Client(ctx).AddressCode.Get(ctx, hash)
	return store.One(row, err, func(row *ent.AddressCode) account.AddressCode {
		return account.AddressCode{
			Hash: row.ID, Email: row.Email, UserID: row.UserID, Purpose: row.Purpose, CreatedAt: row.CreatedAt.UTC(), ExpiresAt: row.ExpiresAt.UTC(),
		}
	})
}

// DeleteAddressCode removes a link that was used.
func (s *AddressCodes) DeleteAddressCode(ctx context.Context, hash string) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.AddressCode.Delete().Where(addresscode.ID(hash)).Exec(ctx))
	})
}

// DeleteAddressCodes removes the links of a user.
func (s *AddressCodes) DeleteAddressCodes(ctx context.Context, userID string) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		_, err := db.AddressCode.Delete().Where(addresscode.UserID(userID)).Exec(ctx)
		return err
	})
}
