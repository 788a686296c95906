package account_test

import (
	"testing"
	"time"

	"parley/core/fault"
	"parley/store/people"
)

func TestSessionExpiry(t *testing.T) {
	t.Run("an unused session ends after seven days", func(t *testing.T) {
		c := newClock(t)
		secret := c.signIn()
		c.pass(7*day - time.Second)
		c.isSignedIn(secret, true)
		c.pass(7 * day)
		c.isSignedIn(secret, false)
	})
	t.Run("a session in daily use ends after thirty days", func(t *testing.T) {
		c := newClock(t)
		secret := c.signIn()
		for range 29 {
			c.pass(day)
			c.isSignedIn(secret, true)
		}
		c.pass(day - time.Second)
		c.isSignedIn(secret, true)
		c.pass(time.Second)
		c.isSignedIn(secret, false)
	})
	t.Run("using an ended session does not revive it", func(t *testing.T) {
		c := newClock(t)
		secret := c.signIn()
		c.pass(7 * day)
		c.isSignedIn(secret, false)
		c.isSignedIn(secret, false)
	})
	t.Run("the row of an ended session is deleted, that of a live one stays", func(t *testing.T) {
		c := newClock(t)
		old := c.signIn()
		c.pass(29 * day)
		young := c.signIn()
		c.pass(2 * day)
		c.must(c.DeleteExpired(c.Context()))
		if _, err := people.NewSessions(c.store).Session(c.Context(), hashed(old)); !fault.Is(err, fault.NotFound) {
			t.Errorf("the old row is there: %v", err)
		}
		c.isSignedIn(young, true)
	})
	t.Run("a new password ends every session", func(t *testing.T) {
		c := newClock(t)
		first, second := c.signIn(), c.signIn()
		c.must(c.Passwords.Reset(c.Context(), email, "another horse battery"))
		c.isSignedIn(first, false)
		c.isSignedIn(second, false)
	})
}

func TestSessionsAreRows(t *testing.T) {
	c := newClock(t)
	secret := c.signIn()
	t.Run("a row is found by the hash of the secret", func(t *testing.T) {
		session, err := people.NewSessions(c.store).Session(t.Context(), hashed(secret))
		if err != nil || session.UserID != c.user.ID {
			t.Errorf("found %+v, %v", session, err)
		}
	})
	t.Run("the secret itself finds no row", func(t *testing.T) {
		if _, err := people.NewSessions(c.store).Session(t.Context(), secret); !fault.Is(err, fault.NotFound) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("the contents of the database sign nobody in", func(t *testing.T) { c.isSignedIn(hashed(secret), false) })
	t.Run("each sign-in has a unique secret of 256 bits", func(t *testing.T) {
		if again := c.signIn(); again == secret || len(again) != 43 {
			t.Errorf("got %q after %q", again, secret)
		}
	})
}
