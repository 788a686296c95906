package web

import (
	"crypto/rand"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/internal/requestid"
	"parley/internal/route"
	"parley/store/tenancy"
	"parley/views"
)

// signedOut is the pages without a database: those that a person who is not
// signed in reaches before one is asked.
func signedOut() *fiber.App {
	tenants := tenancy.Open(nil, time.Now, rand.Reader, tenancy.Options{})
	app := fiber.New(fiber.Config{Immutable: true})
	app.Use(requestid.Middleware)
	Register(app, &route.Table{}, Deps{
		Accounts: tenants.Accounts, Tenants: tenants.Tenants, Team: tenants.Team, Sessions: NewSessions(tenants.Sessions, tenants.People, false, baseURL), BaseURL: baseURL, SignUp: true, Log: slog.New(slog.DiscardHandler),
	})
	return app
}

func TestRefusedForm(t *testing.T) {
	app := signedOut()
	typed := url.Values{"email": {"not an address"}, "password": {"correct horse"}, "workspace": {`Acme "Co"`}}

	t.Run("what was typed is kept, what is wrong is beside it, and the password is gone", func(t *testing.T) {
		got := send(t, app, "POST", "/sign-up", typed.Encode(), typedForm)
		if got.status != fiber.StatusUnprocessableEntity {
			t.Errorf("status %d, want 422", got.status)
		}
		for _, part := range []string{
			`value="not an address"`, `value="Acme &#34;Co&#34;"`, `aria-describedby=" email-error"`, `aria-invalid="true"`,
			`<p class="error" id="email-error">Give an e-mail address such as name@example.com.</p>`,
		} {
			if !strings.Contains(got.body, part) {
				t.Errorf("the page lacks %s: %s", part, got.body)
			}
		}
		if strings.Contains(got.body, "correct horse") {
			t.Errorf("the page has the password: %s", got.body)
		}
		confined(t, got)
	})
	t.Run("nothing is read from the address", func(t *testing.T) {
		got := send(t, app, "POST", "/sign-up?"+typed.Encode(), "", typedForm)
		if strings.Contains(got.body, "not an address") {
			t.Errorf("the page has what the address held: %s", got.body)
		}
	})
	t.Run("a compressed form is refused", func(t *testing.T) {
		headers := map[string]string{"Content-Type": typedForm["Content-Type"], "Content-Encoding": "gzip"}
		if got := send(t, app, "POST", "/sign-up", typed.Encode(), headers); got.status != fiber.StatusUnprocessableEntity {
			t.Errorf("status %d, want 422", got.status)
		}
	})
	for name, bytes := range map[string]string{"bytes that are no text": "\xff", "a zero byte": "a\x00"} {
		t.Run(name+" are refused before anything is asked", func(t *testing.T) {
			got := send(t, app, "POST", "/sign-in", url.Values{"email": {bytes}}.Encode(), typedForm)
			if got.status != fiber.StatusUnprocessableEntity || !strings.Contains(got.body, "cannot be stored") {
				t.Errorf("status %d: %s", got.status, got.body)
			}
		})
	}
}

func TestFormAgain(t *testing.T) {
	for kind, want := range map[fault.Kind]int{
		fault.Invalid: 422, fault.TooLarge: 413, fault.Unauthenticated: 401, fault.Forbidden: 403,
		fault.Conflict: 409, fault.RateLimited: 429, fault.Upstream: 500, fault.Unavailable: 503,
	} {
		t.Run(titles[kind]+" is shown on the form's own page", func(t *testing.T) {
			got := formAgain(t, &fault.Error{Kind: kind, Message: "Told."})
			if got.status != want || got.body != "Told." {
				t.Errorf("status %d with %q, want %d", got.status, got.body, want)
			}
		})
	}
	for name, err := range map[string]error{
		"an unknown failure": errors.New("disk"), "a thing that is gone": fault.New(fault.NotFound, "Gone."),
	} {
		t.Run(name+" is not the form's to show", func(t *testing.T) {
			if got := formAgain(t, err); got.body != "returned" {
				t.Errorf("the form shows %q", got.body)
			}
		})
	}
	t.Run("the time to wait is told", func(t *testing.T) {
		got := formAgain(t, &fault.Error{Kind: fault.RateLimited, Message: "Wait.", RetryAfter: time.Minute})
		if got.header.Get("Retry-After") != "60" {
			t.Errorf("Retry-After is %q", got.header.Get("Retry-After"))
		}
	})
}

// formAgain answers with the banner that a refused form would show.
func formAgain(t *testing.T, err error) reply {
	t.Helper()
	app := fiber.New(fiber.Config{Immutable: true})
	app.Get("/", func(c *fiber.Ctx) error {
		again := form{"name": "x"}.again(c, err, func(status int, f views.Form) error {
			return c.Status(status).SendString(f.Banner())
		})
		if again != nil {
			return c.SendString("returned")
		}
		return nil
	})
	return send(t, app, "GET", "/", "", nil)
}
