package people

import (
	"context"
	"time"

	"parley/store"
)

// Devices keeps the browsers that people trust.
type Devices struct{ store *store.Store }

// NewDevices returns the devices of a database.
func NewDevices(db *store.Store) *Devices { return &Devices{db} }

const (
	trustDevice = `INSERT INTO devices (user_id, secret_hash, created_at, expires_at) VALUES ($1, $2, $3, $4)
	ON CONFLICT (secret_hash, user_id) DO UPDATE SET expires_at = excluded.expires_at`
	forgetOldest = `DELETE FROM devices WHERE user_id = $1
	AND id NOT IN (SELECT id FROM devices WHERE user_id = $1 ORDER BY expires_at DESC, id DESC LIMIT $2)`
	trustedBy     = `SELECT u.email FROM devices d JOIN users u ON u.id = d.user_id WHERE d.secret_hash = $1 AND d.expires_at > $2`
	forgetDevices = `DELETE FROM devices WHERE user_id = $1`
)

// TrustDevice notes that a user trusts a browser until a time, and forgets the
// oldest beyond so many.
func (s *Devices) TrustDevice(ctx context.Context, userID, secretHash string, now, until time.Time, most int) error {
	return s.store.InTx(ctx, func(ctx context.Context) error {
		if err := s.store.Run(ctx, trustDevice, userID, secretHash, now, until); err != nil {
			return err
		}
		return s.store.Run(ctx, forgetOldest, userID, most)
	})
}

// TrustedBy returns the e-mail addresses of the users who trust a browser at a
// time.
func (s *Devices) TrustedBy(ctx context.Context, secretHash string, at time.Time) ([]string, error) {
	return store.Rows(ctx, s.store, func(email *string) []any { return []any{email} }, trustedBy, secretHash, at)
}

// ForgetDevices ends all that a user trusts.
func (s *Devices) ForgetDevices(ctx context.Context, userID string) error {
	return s.store.Run(ctx, forgetDevices, userID)
}
