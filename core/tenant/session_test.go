package tenant_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/tenant"
	"parley/store"
)

const (
	email    = "owner@example.com"
	password = "correct horse battery"
	day      = 24 * time.Hour
)

// stranger is a client that nobody has signed in on before.
var stranger = from("192.0.2.1")

func from(address string) tenant.Client {
	return tenant.Client{Address: netip.MustParseAddr(address)}
}

// clock is a room over a real store, in which time passes as a test says.
type clock struct {
	*testing.T
	*tenant.Service
	store *store.Store
	now   time.Time
	user  tenant.User
	space tenant.Workspace
}

func newClock(t *testing.T) *clock {
	t.Helper()
	file := filepath.Join(t.TempDir(), "parley.db")
	if err := os.WriteFile(file, shop.database, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), "sqlite:"+file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	c := &clock{T: t, store: db, now: epoch, user: shop.user, space: shop.space}
	c.Service = c.withOptions(tenant.Options{Grace: 21 * day, Mails: true, BaseURL: "https://parley.example/"})
	return c
}

// withOptions returns another room over the same store.
func (c *clock) withOptions(options tenant.Options) *tenant.Service {
	return tenant.New(c.store, func() time.Time { return c.now }, rand.Reader, options)
}

func (c *clock) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func (c *clock) pass(d time.Duration) { c.now = c.now.Add(d) }

func (c *clock) signIn() string {
	c.Helper()
	return c.signInFrom(stranger).Session
}

func (c *clock) signInFrom(client tenant.Client) tenant.Keys {
	c.Helper()
	keys, err := c.SignIn(c.Context(), email, password, client)
	c.must(err)
	return keys
}

func (c *clock) isSignedIn(secret string, want bool) {
	c.Helper()
	person, err := c.Person(c.Context(), secret)
	switch {
	case want && (err != nil || person.User.Email != email):
		c.Errorf("the session has ended: %v", err)
	case !want && !fault.Is(err, fault.Unauthenticated):
		c.Errorf("the session works still, or failed otherwise: %v", err)
	}
}

func TestSessionExpiry(t *testing.T) {
	t.Run("a session that is not used ends after seven days", func(t *testing.T) {
		c := newClock(t)
		secret := c.signIn()
		c.pass(7*day - time.Second)
		c.isSignedIn(secret, true)
		c.pass(7 * day)
		c.isSignedIn(secret, false)
	})
	t.Run("a session that is used every day ends after thirty", func(t *testing.T) {
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
	t.Run("asking with an ended session does not revive it", func(t *testing.T) {
		c := newClock(t)
		secret := c.signIn()
		c.pass(7 * day)
		c.isSignedIn(secret, false)
		c.isSignedIn(secret, false)
	})
	t.Run("an ended session's row is deleted, a living one's stays", func(t *testing.T) {
		c := newClock(t)
		old := c.signIn()
		c.pass(29 * day)
		young := c.signIn()
		c.pass(2 * day)
		c.must(c.DeleteExpired(c.Context()))
		if _, err := c.store.Session(c.Context(), hashed(old)); !fault.Is(err, fault.NotFound) {
			t.Errorf("the old row is there: %v", err)
		}
		c.isSignedIn(young, true)
	})
	t.Run("a new password ends every session", func(t *testing.T) {
		c := newClock(t)
		first, second := c.signIn(), c.signIn()
		c.must(c.ResetPassword(c.Context(), email, "another horse battery"))
		c.isSignedIn(first, false)
		c.isSignedIn(second, false)
	})
}

func hashed(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func TestSessionsAreRows(t *testing.T) {
	c := newClock(t)
	secret := c.signIn()
	t.Run("a row is found by the hash of the secret", func(t *testing.T) {
		session, err := c.store.Session(t.Context(), hashed(secret))
		if err != nil || session.UserID != c.user.ID {
			t.Errorf("found %+v, %v", session, err)
		}
	})
	t.Run("the secret itself is no row", func(t *testing.T) {
		if _, err := c.store.Session(t.Context(), secret); !fault.Is(err, fault.NotFound) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("what the database holds signs nobody in", func(t *testing.T) { c.isSignedIn(hashed(secret), false) })
	t.Run("each sign-in has a secret of its own, of 256 bits", func(t *testing.T) {
		if again := c.signIn(); again == secret || len(again) != 43 {
			t.Errorf("got %q after %q", again, secret)
		}
	})
}
