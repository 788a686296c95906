package page

import (
	"errors"
	"strings"
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
			// Whoever tells the operator of a failure says which it was.
			if got.Status != want || got.Body != "Told." && (kind != fault.Unavailable || !strings.HasPrefix(got.Body, "Told. Request number: ")) {
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

func TestLongForms(t *testing.T) {
	app := fiber.New(fiber.Config{Immutable: true})
	app.Post("/", func(c *fiber.Ctx) error {
		typed, err := ReadForm(c, "a")
		if err != nil {
			return c.SendString("refused: " + fault.As(err).Message)
		}
		return typed.Again(c, fault.InField("a", "Wrong."), func(_ int, f ui.Form) error {
			return c.SendString(f.Error("a") + f.Value("a"))
		})
	})
	for name, row := range map[string]struct{ body, want string }{
		"a refused form is shown again":              {"a=x", "Wrong.x"},
		"one above 256 KB is not, and says so":       {"a=" + strings.Repeat("x", MaxEcho+1), "Wrong. The form is too long to be shown again: fill it in once more."},
		"one with a thousand inputs is read":         {"a=x" + strings.Repeat("&b", 999), "Wrong.x"},
		"one with more is refused before it is read": {"a=x" + strings.Repeat("&b", 1000), "refused: The form has more than 1000 parts. Send fewer."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := webtest.Send(t, app, "POST", "/", row.body, webtest.TypedForm); got.Body != row.want {
				t.Errorf("answered %.200q", got.Body)
			}
		})
	}
}
