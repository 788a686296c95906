package page

import (
	"crypto/rand"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/account"
	"parley/core/system/grant"
	"parley/store/tenancy"
	"parley/web/webtest"
)

// sessionCookie and deviceCookie are how the names of the two cookies end.
const (
	sessionCookie = "session"
	deviceCookie  = "device"
)

// cookieOf is a cookie that sessions set for a new session.
func cookieOf(t *testing.T, secure bool, suffix string, handle func(*Sessions, *fiber.Ctx) error) *http.Cookie {
	t.Helper()
	tenants := tenancy.Open(nil, grant.Because("a test"), time.Now, rand.Reader, tenancy.Options{})
	sessions := NewSessions(tenants.Sessions, tenants.People, secure, webtest.BaseURL)
	app := fiber.New(fiber.Config{Immutable: true})
	app.Get("/", func(c *fiber.Ctx) error { return handle(sessions, c) })
	lines := webtest.Send(t, app, "GET", "/", "", nil).Header["Set-Cookie"]
	for _, line := range lines {
		cookie, err := http.ParseSetCookie(line)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(cookie.Name, suffix) {
			return cookie
		}
	}
	t.Fatalf("no cookie of a %s: %q", suffix, lines)
	return nil
}

func begin(s *Sessions, c *fiber.Ctx) error {
	return s.Begin(c, account.Keys{Session: "secret", Device: "device secret"})
}

func TestCookie(t *testing.T) {
	t.Run("a cookie is out of reach of scripts and other sites", func(t *testing.T) {
		cookie := cookieOf(t, false, sessionCookie, begin)
		if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Domain != "" {
			t.Errorf("the cookie is %v", cookie)
		}
		if cookie.Name != "parley_session" || cookie.Secure || cookie.Value != "secret" {
			t.Errorf("the cookie is %v", cookie)
		}
	})
	t.Run("by HTTPS a cookie is bound to the host", func(t *testing.T) {
		cookie := cookieOf(t, true, sessionCookie, begin)
		if cookie.Name != "__Host-parley_session" || !cookie.Secure || cookie.Path != "/" || cookie.Domain != "" {
			t.Errorf("the cookie is %v", cookie)
		}
	})
	t.Run("a cookie lives as long as its session", func(t *testing.T) {
		if got := cookieOf(t, false, sessionCookie, begin).MaxAge; got != 30*24*60*60 {
			t.Errorf("lives %d s", got)
		}
	})
	t.Run("the cookie of the device is as safe, and outlives the session", func(t *testing.T) {
		cookie := cookieOf(t, true, deviceCookie, begin)
		if !cookie.HttpOnly || !cookie.Secure || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Domain != "" {
			t.Errorf("the cookie is %v", cookie)
		}
		if cookie.Name != "__Host-parley_device" || cookie.Value != "device secret" || cookie.MaxAge != 180*24*60*60 {
			t.Errorf("the cookie is %v", cookie)
		}
	})
	t.Run("signing out takes the cookie away", func(t *testing.T) {
		cookie := cookieOf(t, true, sessionCookie, func(s *Sessions, c *fiber.Ctx) error { return s.End(c) })
		if cookie.Value != "" || !cookie.Expires.Equal(time.Unix(0, 0)) || cookie.MaxAge != 0 {
			t.Errorf("the cookie is %v", cookie)
		}
		if !cookie.Secure || !strings.HasPrefix(cookie.Name, "__Host-") {
			t.Errorf("browsers keep the old cookie, because this one is %v", cookie)
		}
	})
}
