package page

import (
	"errors"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/views/ui"
	"parley/web/webtest"
)

func TestFormAgain(t *testing.T) {
	for kind, want := range map[fault.Kind]int{
		fault.Invalid: 422, fault.TooLarge: 413, fault.Unauthenticated: 401, fault.Forbidden: 403,
		fault.Conflict: 409, fault.RateLimited: 429, fault.Upstream: 500, fault.Unavailable: 503,
	} {
		t.Run(titles[kind]+" is shown on the form's own page", func(t *testing.T) {
			got := formAgain(t, &fault.Error{Kind: kind, Message: "Told."})
			if got.Status != want || got.Body != "Told." {
				t.Errorf("status %d with %q, want %d", got.Status, got.Body, want)
			}
		})
	}
	for name, err := range map[string]error{
		"an unknown failure": errors.New("disk"), "a thing that is gone": fault.New(fault.NotFound, "Gone."),
	} {
		t.Run(name+" is not the form's to show", func(t *testing.T) {
			if got := formAgain(t, err); got.Body != "returned" {
				t.Errorf("the form shows %q", got.Body)
			}
		})
	}
	t.Run("the time to wait is told", func(t *testing.T) {
		got := formAgain(t, &fault.Error{Kind: fault.RateLimited, Message: "Wait.", RetryAfter: time.Minute})
		if got.Header.Get("Retry-After") != "60" {
			t.Errorf("Retry-After is %q", got.Header.Get("Retry-After"))
		}
	})
}

// formAgain answers with the banner that a refused form would show.
func formAgain(t *testing.T, err error) webtest.Reply {
	t.Helper()
	app := fiber.New(fiber.Config{Immutable: true})
	app.Get("/", func(c *fiber.Ctx) error {
		again := Form{"name": "x"}.Again(c, err, func(status int, f ui.Form) error {
			return c.Status(status).SendString(f.Banner())
		})
		if again != nil {
			return c.SendString("returned")
		}
		return nil
	})
	return webtest.Send(t, app, "GET", "/", "", nil)
}
