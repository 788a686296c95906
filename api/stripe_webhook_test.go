package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"parley/api/route"
	"parley/core/fault"
	"parley/internal/requestid"
)

// receiver is told events, and answers with err.
type receiver struct {
	err       error
	body      []byte
	signature string
}

func (r *receiver) Receive(_ context.Context, body []byte, signature string) error {
	r.body, r.signature = bytes.Clone(body), signature
	return r.err
}

// webhooks is the interface with a place for the log.
func webhooks(b Billing, log io.Writer) *fiber.App {
	a := New(Deps{Billing: b, Log: slog.New(slog.NewTextHandler(log, nil))})
	app := fiber.New(fiber.Config{Immutable: true, BodyLimit: 2 * MaxWebhookBody, ErrorHandler: a.Fail})
	app.Use(requestid.Middleware)
	a.Register(app, &route.Table{})
	return app
}

func tell(t *testing.T, app *fiber.App, body string, headers ...string) (status int, answer, retryAfter string) {
	t.Helper()
	request := httptest.NewRequest("POST", "/api/webhooks/stripe", strings.NewReader(body))
	request.Header.Set("Stripe-Signature", "t=1,v1=abc")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := app.Test(request, -1)
	must(t, err)
	defer response.Body.Close()
	whole, err := io.ReadAll(response.Body)
	must(t, err)
	return response.StatusCode, string(whole), response.Header.Get("Retry-After")
}

func TestStripeWebhook(t *testing.T) {
	// Not canonical JSON: the signature is of these bytes.
	const event = "{\"id\" :  \"evt_1\",\n\"secret\":\"cus_private\"}\r\n"

	t.Run("an event is taken byte for byte, with its signature, and answered by an empty envelope", func(t *testing.T) {
		r, log := &receiver{}, &bytes.Buffer{}
		status, answer, _ := tell(t, webhooks(r, log), event, "Content-Type", "application/json; charset=utf-8")
		if status != 200 || answer != `{"error":0,"error_message":"","data":{}}` {
			t.Errorf("status %d: %s", status, answer)
		}
		if string(r.body) != event || r.signature != "t=1,v1=abc" {
			t.Errorf("received %q with %q", r.body, r.signature)
		}
		if !strings.Contains(log.String(), "outcome=handled") || strings.Contains(log.String(), "cus_private") {
			t.Errorf("the log says %s", log)
		}
	})
	for _, c := range []struct {
		name    string
		err     error
		status  int
		says    string
		outcome string
	}{
		{"an event that Stripe has not signed", fault.New(fault.Invalid, "The signature is wrong."), 400, "The signature is wrong.", "refused"},
		{"an event that is too large for billing", fault.New(fault.TooLarge, "Too large."), 413, "Too large.", "refused"},
		{"an event while Stripe is away", fault.New(fault.Upstream, "Stripe does not answer."), 500, "Send it again.", "failed"},
		{"an event while the database is away", fault.New(fault.Unavailable, "No database."), 503, "Send it again.", "failed"},
		{"an event about a row that is changing", fault.New(fault.Conflict, "Changed."), 500, "Send it again.", "failed"},
		{"an event about a row that is not there", fault.New(fault.NotFound, "Gone."), 500, "Send it again.", "failed"},
		{"an event on which the program fails", errors.New("pq: secret"), 500, "Send it again.", "failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			status, answer, retryAfter := tell(t, webhooks(&receiver{err: c.err}, &log), event)
			if status != c.status || !strings.Contains(answer, c.says) || strings.Contains(answer, "secret") {
				t.Errorf("status %d: %s", status, answer)
			}
			if (retryAfter != "") != (c.status == 503) {
				t.Errorf("Retry-After is %q", retryAfter)
			}
			if !strings.Contains(log.String(), "outcome="+c.outcome) {
				t.Errorf("the log says %s", log.String())
			}
			if logged := strings.Contains(log.String(), c.err.Error()); logged != (c.status >= 500) {
				t.Errorf("the cause is logged: %t: %s", logged, log.String())
			}
		})
	}
	t.Run("512 KiB are taken, and not a byte more", func(t *testing.T) {
		r := &receiver{}
		app := webhooks(r, io.Discard)
		if status, _, _ := tell(t, app, strings.Repeat("x", MaxWebhookBody)); status != 200 || len(r.body) != MaxWebhookBody {
			t.Errorf("status %d", status)
		}
		r.body = nil
		if status, _, _ := tell(t, app, strings.Repeat("x", MaxWebhookBody+1)); status != 413 || r.body != nil {
			t.Errorf("status %d, received %d bytes", status, len(r.body))
		}
	})
	t.Run("a body that says it is compressed is not unpacked", func(t *testing.T) {
		r := &receiver{}
		tell(t, webhooks(r, io.Discard), event, "Content-Encoding", "gzip")
		if string(r.body) != event {
			t.Errorf("received %q", r.body)
		}
	})
	t.Run("a server that sells nothing knows no such address", func(t *testing.T) {
		if status, answer, _ := tell(t, webhooks(nil, io.Discard), event); status != 404 || !strings.Contains(answer, `"error":3`) {
			t.Errorf("status %d: %s", status, answer)
		}
	})
	t.Run("a server that is stopping takes none", func(t *testing.T) {
		r := &receiver{}
		a := New(Deps{Billing: r, Log: slog.New(slog.DiscardHandler)})
		app := fiber.New(fiber.Config{ErrorHandler: a.Fail})
		a.Register(app, &route.Table{})
		a.Drain()
		if status, _, _ := tell(t, app, event); status != 503 || r.body != nil {
			t.Errorf("status %d", status)
		}
	})
}
