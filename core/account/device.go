package account

import (
	"context"
	"slices"
	"time"

	"parley/internal/id"
)

const (
	// DeviceLifetime is how long after a sign-in a browser is trusted.
	DeviceLifetime = 180 * 24 * time.Hour
	// devicesByUser bounds the browsers that one user trusts. The least recently
	// used one is forgotten first.
	devicesByUser = 10
)

// DeviceStore stores the browsers on which people have signed in.
type DeviceStore interface {
	// TrustDevice records that a user trusts a browser until a time, and forgets
	// the oldest if there are more than most.
	TrustDevice(ctx context.Context, userID, secretHash string, now, until time.Time, most int) error
	// TrustedBy returns the e-mail addresses of the users who trust a browser
	// at a time.
	TrustedBy(ctx context.Context, secretHash string, at time.Time) ([]string, error)
	// ForgetDevices forgets all browsers that a user trusts.
	ForgetDevices(ctx context.Context, userID string) error
}

// isTrusted reports whether the person with an address has signed in before in the
// browser that holds the secret.
func (t *Throttle) isTrusted(ctx context.Context, email, secret string) (bool, error) {
	if secret == "" {
		return false, nil
	}
	emails, err := t.db.Devices.TrustedBy(ctx, id.Hash(secret), t.now())
	return slices.Contains(emails, email), err
}

// trust returns the secret of a browser in which a user has just signed in. People
// who share a browser share its secret. A secret that this server did not make is
// replaced.
func (s *Sessions) trust(ctx context.Context, userID, secret string) (string, error) {
	now := s.now()
	known := false
	if secret != "" {
		emails, err := s.db.Devices.TrustedBy(ctx, id.Hash(secret), now)
		if err != nil {
			return "", err
		}
		known = len(emails) > 0
	}
	if !known {
		secret = id.Secret(s.random)
	}
	return secret, s.db.Devices.TrustDevice(ctx, userID, id.Hash(secret), now, now.Add(DeviceLifetime), devicesByUser)
}
