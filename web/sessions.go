package web

import (
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/tenant"
)

// Sessions keeps the secret of a session in a cookie.
type Sessions struct {
	tenants *tenant.Service
	secure  bool
	origin  string
}

// NewSessions returns the sessions of a server that people reach at baseURL.
// Secure says that they reach it by HTTPS.
func NewSessions(tenants *tenant.Service, secure bool, baseURL string) *Sessions {
	return &Sessions{tenants: tenants, secure: secure, origin: originOf(baseURL)}
}

// originOf returns the origin of an address as browsers write it (RFC 6454
// section 6.2), empty when it has none.
func originOf(address string) string {
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

// Person returns who is signed in. It is Unauthenticated when nobody is.
func (s *Sessions) Person(c *fiber.Ctx) (tenant.Person, error) {
	return s.tenants.Person(c.UserContext(), c.Cookies(s.name()))
}

// name has the prefix with which browsers refuse a cookie that another host or
// a page without HTTPS has set (RFC 6265bis section 4.1.3.2).
func (s *Sessions) name() string {
	if s.secure {
		return "__Host-parley_session"
	}
	return "parley_session"
}

// begin ends the session that the browser held and gives it a new one.
func (s *Sessions) begin(c *fiber.Ctx, secret string) error {
	if err := s.forget(c); err != nil {
		return err
	}
	c.Cookie(s.cookie(secret))
	return nil
}

// end ends the session and takes the cookie away.
func (s *Sessions) end(c *fiber.Ctx) error {
	if err := s.forget(c); err != nil {
		return err
	}
	gone := s.cookie("")
	gone.MaxAge, gone.Expires = 0, time.Unix(0, 0)
	c.Cookie(gone)
	return nil
}

func (s *Sessions) forget(c *fiber.Ctx) error {
	old := c.Cookies(s.name())
	if old == "" {
		return nil
	}
	return s.tenants.SignOut(c.UserContext(), old)
}

func (s *Sessions) cookie(secret string) *fiber.Cookie {
	return &fiber.Cookie{
		Name: s.name(), Value: secret, Path: "/", MaxAge: int(tenant.SessionLifetime / time.Second),
		Secure: s.secure, HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode,
	}
}
