package web

import (
	"crypto/rand"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/tenant"
)

// cookieOf is the cookie that sessions set for a new session.
func cookieOf(t *testing.T, secure bool, handle func(*Sessions, *fiber.Ctx) error) *http.Cookie {
	t.Helper()
	sessions := NewSessions(tenant.New(nil, time.Now, rand.Reader, tenant.Options{}), secure, baseURL)
	app := fiber.New(fiber.Config{Immutable: true})
	app.Get("/", func(c *fiber.Ctx) error { return handle(sessions, c) })
	lines := send(t, app, "GET", "/", "", nil).header["Set-Cookie"]
	if len(lines) != 1 {
		t.Fatalf("%d cookies, want one: %q", len(lines), lines)
	}
	cookie, err := http.ParseSetCookie(lines[0])
	if err != nil {
		t.Fatal(err)
	}
	return cookie
}

func begin(s *Sessions, c *fiber.Ctx) error { return s.begin(c, "secret") }

func TestCookie(t *testing.T) {
	t.Run("a cookie is out of reach of scripts and other sites", func(t *testing.T) {
		cookie := cookieOf(t, false, begin)
		if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Domain != "" {
			t.Errorf("the cookie is %v", cookie)
		}
		if cookie.Name != "parley_session" || cookie.Secure || cookie.Value != "secret" {
			t.Errorf("the cookie is %v", cookie)
		}
	})
	t.Run("by HTTPS a cookie is bound to the host", func(t *testing.T) {
		cookie := cookieOf(t, true, begin)
		if cookie.Name != "__Host-parley_session" || !cookie.Secure || cookie.Path != "/" || cookie.Domain != "" {
			t.Errorf("the cookie is %v", cookie)
		}
	})
	t.Run("a cookie lives as long as its session", func(t *testing.T) {
		if got := cookieOf(t, false, begin).MaxAge; got != 30*24*60*60 {
			t.Errorf("lives %d s", got)
		}
	})
	t.Run("signing out takes the cookie away", func(t *testing.T) {
		cookie := cookieOf(t, true, func(s *Sessions, c *fiber.Ctx) error { return s.end(c) })
		if cookie.Value != "" || !cookie.Expires.Equal(time.Unix(0, 0)) || cookie.MaxAge != 0 {
			t.Errorf("the cookie is %v", cookie)
		}
		if !cookie.Secure || !strings.HasPrefix(cookie.Name, "__Host-") {
			t.Errorf("browsers keep the old cookie, because this one is %v", cookie)
		}
	})
}
