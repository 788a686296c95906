package account_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/netip"
	"testing"
	"time"

	"golang.org/x/crypto/argon2"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/outbox"
	"parley/core/subscription"
	"parley/core/tenant"
	"parley/store"
	"parley/store/tenancy"
	"parley/store/tenancytest"
)

// owner returns the owner as an actor.
func (c *clock) owner() audit.Actor { return audit.Person(c.user.ID, c.user.Email) }

func (c *clock) isA(err error, kind fault.Kind) {
	c.Helper()
	if !fault.Is(err, kind) {
		c.Errorf("got %v, want a fault of kind %d", err, kind)
	}
}

// waits fails the test unless a correct password has to wait now, if want is true.
func (c *clock) waits(client account.Client, want bool) {
	c.Helper()
	_, err := c.Sessions.SignIn(c.Context(), email, password, client)
	if fault.Is(err, fault.RateLimited) != want || !want && err != nil {
		c.Errorf("signing in from %v gives %v", client, err)
	}
}

const (
	email    = "owner@example.com"
	password = "correct horse battery"
	day      = 24 * time.Hour
)

// stranger is a client on which nobody has signed in before.
var stranger = from("192.0.2.1")

func from(address string) account.Client {
	return account.Client{Address: netip.MustParseAddr(address)}
}

// mailsOn has pages that are no more than their link.
var mailsOn = outbox.Options{
	Mails: true, BaseURL: "https://parley.example/",
	HTML: func(l outbox.Letter) (string, error) { return "<p>" + l.Link.URL, nil },
}

// clock is the services over a real store, with simulated time.
type clock struct {
	*testing.T
	*tenancy.Services
	store *store.Store
	now   time.Time
	user  account.User
	space tenant.Workspace
	// printed are the links that the operator sees.
	printed printer
}

func newClock(t *testing.T) *clock {
	t.Helper()
	shop := tenancytest.Open(t)
	c := &clock{T: t, store: shop.Store, now: tenancytest.Epoch, user: shop.User, space: shop.Space}
	c.Services = c.withOptions(tenancy.Options{Payments: subscription.Options{Grace: 21 * day}, Mails: mailsOn})
	return c
}

// withOptions returns other services over the same store.
func (c *clock) withOptions(options tenancy.Options) *tenancy.Services {
	return tenancytest.Services(c.store, func() time.Time { return c.now }, options)
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

func (c *clock) signInFrom(client account.Client) account.Keys {
	c.Helper()
	keys, err := c.Sessions.SignIn(c.Context(), email, password, client)
	c.must(err)
	return keys
}

func (c *clock) isSignedIn(secret string, want bool) {
	c.Helper()
	person, err := c.People.Person(c.Context(), secret)
	switch {
	case want && (err != nil || person.User.Email != email):
		c.Errorf("the session has ended: %v", err)
	case !want && !fault.Is(err, fault.Unauthenticated):
		c.Errorf("the session works still, or failed otherwise: %v", err)
	}
}

// phcKey is the key of a password with a salt of zeros, as PHC strings have it.
func phcKey(password string) string {
	return base64.RawStdEncoding.EncodeToString(argon2.IDKey([]byte(password), make([]byte, 16), 2, 19456, 1, 32))
}

func hashed(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// guess signs in with a wrong password n times.
func (c *clock) guess(n int, email string, client account.Client) (last error) {
	for range n {
		_, last = c.Sessions.SignIn(c.Context(), email, "a wrong guess", client)
	}
	return last
}

// ignored drops the expected refusal of a guess.
func ignored(err error) error {
	if fault.Is(err, fault.Unauthenticated) || fault.Is(err, fault.RateLimited) {
		return nil
	}
	return err
}
