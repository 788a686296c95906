package account

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"parley/core/outbox"
	"parley/internal/id"
)

const (
	// DeviceLifetime is how long after a sign-in a browser is trusted.
	DeviceLifetime = 180 * 24 * time.Hour
	// devicesByUser bounds the browsers that one user trusts. The least recently
	// used one is forgotten first.
	devicesByUser = 10
	// quietAfterSignUp is how long after creating an account nobody is told of the
	// browser in which they sign in: it is the one in which they did that.
	quietAfterSignUp = 5 * time.Minute
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

// trust returns the secret of a browser in which a user has just signed in, and tells
// them by mail if they have not used it before. People who share a browser share its
// secret. A secret that this server did not make is replaced.
func (s *Sessions) trust(ctx context.Context, user User, client Client, session Session) (secret string, err error) {
	now, secret := s.now(), client.Device
	var emails []string
	if secret != "" {
		if emails, err = s.db.Devices.TrustedBy(ctx, id.Hash(secret), now); err != nil {
			return "", err
		}
	}
	if len(emails) == 0 {
		secret = id.Secret(s.random)
	}
	if !slices.Contains(emails, user.Email) && now.Sub(user.CreatedAt) > quietAfterSignUp {
		if err := s.passwords.throttle.Tell(ctx, s.mails, user, s.newBrowserLetter(session)); err != nil {
			return "", err
		}
	}
	return secret, s.db.Devices.TrustDevice(ctx, user.ID, id.Hash(secret), now, now.Add(DeviceLifetime), devicesByUser)
}

// newBrowserLetter tells of a sign-in from a browser that the person has not used
// before, or not for long.
func (s *Sessions) newBrowserLetter(session Session) outbox.Letter {
	return outbox.Letter{
		Subject: "New sign-in to your account",
		Says: []string{
			fmt.Sprintf("Someone signed in to your account from a browser that we haven't seen before: %s, network %s, %s.",
				session.Device(), cmp.Or(session.NetworkName(), "unknown"), session.CreatedAt.UTC().Format("January 2, 2006 at 15:04 UTC")),
			"If it was you, you don't need to do anything.",
			"If it wasn't you, sign that browser out and change your password:",
		},
		Link: outbox.Link{Text: "Look at the sessions", URL: s.mails.Link("/account/sessions")},
	}
}
