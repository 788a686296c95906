package store

import (
	"context"

	"parley/ent/authenticator"
	"parley/ent/passkey"
)

// Factors keeps the second factors of people.
type Factors struct{ store *Store }

// NewFactors returns the second factors of a database.
func NewFactors(db *Store) *Factors { return &Factors{db} }

// HasSecondFactor reports whether a user has an app that was confirmed, or a passkey.
func (s *Factors) HasSecondFactor(ctx context.Context, userID string) (bool, error) {
	db := s.store.db(ctx)
	has, err := db.Authenticator.Query().Where(authenticator.UserID(userID), authenticator.ConfirmedAtNotNil()).Exist(ctx)
	if err == nil && !has {
		has, err = db.Passkey.Query().Where(passkey.UserID(userID)).Exist(ctx)
	}
	return has, mapError(err)
}
