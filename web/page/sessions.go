package page

import (
	"context"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/rate"
	"parley/core/tenant"
	"parley/internal/netgroup"
)

// Sessions keeps a browser's secrets in cookies: the session's secret, and one that tells
// later sign-ins that the browser was used before.
type Sessions struct {
	accounts *account.Sessions
	people   *tenant.People
	secure   bool
	origin   string
	pace     *rate.Pace
	client   func(*fiber.Ctx) netip.Addr
}

// NewSessions returns the sessions of a server that people reach at baseURL.
// Secure says that they reach it by HTTPS.
func NewSessions(accounts *account.Sessions, people *tenant.People, secure bool, baseURL string) *Sessions {
	return &Sessions{accounts: accounts, people: people, secure: secure, origin: OriginOf(baseURL)}
}

// Paced has the requests of people and strangers counted: these by the network
// of the address that client returns.
func (s *Sessions) Paced(pace *rate.Pace, client func(*fiber.Ctx) netip.Addr) *Sessions {
	s.pace, s.client = pace, client
	return s
}

// OriginOf returns the origin of an address as browsers write it (RFC 6454
// section 6.2), empty when it has none.
func OriginOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" || u.Host == "" {
		return ""
	}
	host := strings.ToLower(u.Host)
	switch u.Scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return u.Scheme + "://" + host
}

// Person returns who is signed in, counts the request, and has the request's
// context say whose it is. It is Unauthenticated when nobody is, and RateLimited
// when that person, or a stranger's network, has made too many requests.
func (s *Sessions) Person(c *fiber.Ctx) (tenant.Person, error) {
	return s.person(c, true)
}

// Caller is [Sessions.Person] for a route that answers in JSON. There a request
// without a session's cookie is refused without a look into the database, and
// counts for nobody.
func (s *Sessions) Caller(c *fiber.Ctx) (tenant.Person, error) {
	return s.person(c, c.Cookies(s.name()) != "")
}

// Again returns, of a request, a function that says who is signed in with its cookie,
// also when the request has ended. It counts nothing.
func (s *Sessions) Again(c *fiber.Ctx) func(context.Context) (tenant.Person, error) {
	secret := c.Cookies(s.name())
	return func(ctx context.Context) (tenant.Person, error) { return s.people.Person(ctx, secret) }
}

func (s *Sessions) person(c *fiber.Ctx, countStrangers bool) (tenant.Person, error) {
	person, err := s.people.Person(c.UserContext(), c.Cookies(s.name()))
	if fault.Is(err, fault.Unauthenticated) && countStrangers {
		if limited := s.countStranger(c); limited != nil {
			return tenant.Person{}, limited
		}
	}
	if err == nil {
		err = s.pace.Person(c.UserContext(), person.User.ID)
	}
	if err != nil {
		return tenant.Person{}, err
	}
	c.SetUserContext(audit.As(c.UserContext(), audit.Person(person.User.ID, person.User.Email)))
	return person, nil
}

// countStranger counts a request without a session, by the
// network that it comes from.
func (s *Sessions) countStranger(c *fiber.Ctx) error {
	if s.pace == nil {
		return nil
	}
	return s.pace.Stranger(netgroup.Of(s.client(c)).String())
}

// device is the secret of earlier sign-ins in the browser, empty for none.
func (s *Sessions) device(c *fiber.Ctx) string { return c.Cookies(s.named("device")) }

// Secret returns the secret of the browser's session, empty for none.
func (s *Sessions) Secret(c *fiber.Ctx) string { return c.Cookies(s.name()) }

func (s *Sessions) name() string { return s.named("session") }

// named has the prefix with which browsers refuse a cookie that another host or
// a page without HTTPS has set (RFC 6265bis section 4.1.3.2).
func (s *Sessions) named(what string) string {
	if s.secure {
		return "__Host-parley_" + what
	}
	return "parley_" + what
}

// Begin ends the session that the browser held and gives it a new one.
func (s *Sessions) Begin(c *fiber.Ctx, keys account.Keys) error {
	if err := s.forget(c); err != nil {
		return err
	}
	c.Cookie(s.cookie(s.name(), keys.Session, account.SessionLifetime))
	c.Cookie(s.cookie(s.named("device"), keys.Device, account.DeviceLifetime))
	return nil
}

// End ends the session, and takes away its cookie and what pages have kept in
// the browser. The browser stays known: its device cookie is left alone.
func (s *Sessions) End(c *fiber.Ctx) error {
	if err := s.forget(c); err != nil {
		return err
	}
	s.remove(c, s.name())
	c.Set("Clear-Site-Data", `"storage"`)
	return nil
}

func (s *Sessions) forget(c *fiber.Ctx) error {
	old := c.Cookies(s.name())
	if old == "" {
		return nil
	}
	return s.accounts.SignOut(c.UserContext(), old)
}

func (s *Sessions) cookie(name, secret string, lifetime time.Duration) *fiber.Cookie {
	return &fiber.Cookie{
		Name: name, Value: secret, Path: "/", MaxAge: int(lifetime / time.Second),
		Secure: s.secure, HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode,
	}
}

func (s *Sessions) remove(c *fiber.Ctx, name string) {
	gone := s.cookie(name, "", 0)
	gone.Expires = time.Unix(0, 0)
	c.Cookie(gone)
}
