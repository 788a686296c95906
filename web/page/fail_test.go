package page

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/internal/requestid"
	"parley/web/webtest"
)

// failing answers everything with a failure.
func failing(err error) (*fiber.App, *bytes.Buffer) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	app := fiber.New(fiber.Config{Immutable: true})
	app.Use(requestid.Middleware, func(c *fiber.Ctx) error { return Fail(c, logger, err) })
	return app, &log
}

func TestFail(t *testing.T) {
	sentences := []struct {
		name   string
		err    error
		status int
		says   string
		logged bool
	}{
		{"a wrong request is 422", fault.New(fault.Invalid, "Shorten it."), 422, "Shorten it.", false},
		{"a large request is 413", fault.New(fault.TooLarge, "Split it."), 413, "Split it.", false},
		{"a missing session is 401", fault.New(fault.Unauthenticated, "Sign in to continue."), 401, "Sign in to continue.", false},
		{"a role too low is 403", fault.New(fault.Forbidden, "Ask an owner."), 403, "Ask an owner.", false},
		{"an unknown thing is 404", fault.New(fault.NotFound, "Chatbot not found."), 404, "Chatbot not found.", false},
		{"a clash is 409", fault.New(fault.Conflict, "Make another owner."), 409, "Make another owner.", false},
		{"too many requests are 429", fault.New(fault.RateLimited, "Wait."), 429, "Wait.", false},
		{"a failing index is 500 and is logged", fault.New(fault.Upstream, "The index failed."), 500, "The index failed.", true},
		{"a busy server is 503 and is logged", fault.New(fault.Unavailable, "Try again."), 503, "Try again.", true},
		{"anything else is 500 and is logged", errors.New("pq: secret"), 500, "Something went wrong on the server.", true},
		{"an unknown address is 404", fiber.ErrNotFound, 404, "There is no page at this address.", false},
		{"a wrong method is 405", fiber.ErrMethodNotAllowed, 405, "does not understand", false},
		{"a body over the server's limit is 413", fiber.ErrRequestEntityTooLarge, 413, "too large", false},
	}
	for _, s := range sentences {
		t.Run(s.name, func(t *testing.T) {
			app, log := failing(s.err)
			got := webtest.Send(t, app, "POST", "/x", "", map[string]string{"X-Request-Id": "mine"})
			if got.Status != s.status || !strings.Contains(got.Body, s.says) {
				t.Errorf("status %d, want %d with %q in %s", got.Status, s.status, s.says, got.Body)
			}
			if !strings.Contains(got.Body, `<code id="request-id">mine</code>`) {
				t.Errorf("the request id is not on the page: %s", got.Body)
			}
			if logged := strings.Contains(log.String(), "request_id=mine"); logged != s.logged {
				t.Errorf("logged: %t, want %t", logged, s.logged)
			}
			webtest.Confined(t, got)
		})
	}
	t.Run("the cause of a failure is in the log and not on the page", func(t *testing.T) {
		app, log := failing(fault.Wrap(fault.Internal, errors.New("pq: secret"), "reading /var/lib"))
		got := webtest.Send(t, app, "GET", "/x", "", nil)
		if strings.Contains(got.Body, "secret") || strings.Contains(got.Body, "/var/lib") {
			t.Errorf("the page shows internals: %s", got.Body)
		}
		if !strings.Contains(log.String(), "pq: secret") {
			t.Errorf("the log lacks the cause: %s", log)
		}
	})
	t.Run("a time to wait is rounded up to seconds", func(t *testing.T) {
		app, _ := failing(&fault.Error{Kind: fault.RateLimited, Message: "Wait.", RetryAfter: 1500 * time.Millisecond})
		if got := webtest.Send(t, app, "GET", "/x", "", nil).Header.Get("Retry-After"); got != "2" {
			t.Errorf("Retry-After is %q, want 2", got)
		}
	})
	t.Run("a message is text, whatever is in it", func(t *testing.T) {
		app, _ := failing(fault.New(fault.Invalid, "<script>alert(1)</script>"))
		if got := webtest.Send(t, app, "GET", "/x", "", nil); strings.Contains(got.Body, "<script>") {
			t.Errorf("the page has the script: %s", got.Body)
		}
	})
}

func TestFailUnauthenticated(t *testing.T) {
	app, _ := failing(fault.New(fault.Unauthenticated, "Sign in to continue."))
	t.Run("reading a page leads to the sign-in and back", func(t *testing.T) {
		got := webtest.Send(t, app, "GET", "/chatbots/cb_1?done=saved", "", nil)
		want := "/sign-in?next=%2Fchatbots%2Fcb_1%3Fdone%3Dsaved"
		if got.Status != fiber.StatusSeeOther || got.Header.Get("Location") != want {
			t.Errorf("status %d to %q, want %q", got.Status, got.Header.Get("Location"), want)
		}
	})
	t.Run("an address that a browser could take for another server's is left out", func(t *testing.T) {
		got := webtest.Send(t, app, "GET", "http://parley.test//evil.example", "", nil)
		if got.Header.Get("Location") != "/sign-in" {
			t.Errorf("leads to %q", got.Header.Get("Location"))
		}
	})
}
