package requestid

import (
	"io"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
)

var made = regexp.MustCompile(`^req_[0-9a-z]{24}$`)

// ask sends a request with an identifier and returns the one in the response's header and
// the one that the handler saw.
func ask(t *testing.T, app *fiber.App, sent string) (answered, seen string) {
	t.Helper()
	request := httptest.NewRequest("GET", "/", nil)
	if sent != "" {
		request.Header.Set("X-Request-Id", sent)
	}
	response, err := app.Test(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.Header.Get("X-Request-Id"), string(body)
}

func server(before ...fiber.Handler) *fiber.App {
	app := fiber.New(fiber.Config{Immutable: true})
	for _, handler := range before {
		app.Use(handler)
	}
	app.Get("/", func(c *fiber.Ctx) error { return c.SendString(Of(c)) })
	return app
}

func TestMiddleware(t *testing.T) {
	app := server(Middleware)

	t.Run("a caller's own identifier is kept, seen and returned", func(t *testing.T) {
		for _, sent := range []string{"a", "Order-17_b.3", strings.Repeat("x", 128)} {
			if answered, seen := ask(t, app, sent); answered != sent || seen != sent {
				t.Errorf("%q is returned as %q and seen as %q", sent, answered, seen)
			}
		}
	})

	t.Run("a missing, too long or unsafe one is replaced", func(t *testing.T) {
		for _, sent := range []string{"", strings.Repeat("x", 129), "a b", "a\tb", `"quoted"`, "<script>", "ümlaut", "a;b", "a/b", "a%0d"} {
			answered, seen := ask(t, app, sent)
			if !made.MatchString(answered) || seen != answered {
				t.Errorf("%q is returned as %q and seen as %q", sent, answered, seen)
			}
		}
	})

	t.Run("every request gets its own", func(t *testing.T) {
		one, _ := ask(t, app, "")
		if other, _ := ask(t, app, ""); one == other {
			t.Errorf("two requests both have %s", one)
		}
	})
}

func TestOf(t *testing.T) {
	t.Run("a request that the middleware has not seen gets one, and keeps it", func(t *testing.T) {
		var first string
		app := server(func(c *fiber.Ctx) error { first = strings.Clone(Of(c)); return c.Next() })
		if answered, seen := ask(t, app, ""); !made.MatchString(seen) || answered != seen || first != seen {
			t.Errorf("it is %q first, then %q, and returned as %q", first, seen, answered)
		}
	})
}
