package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
)

// reply is what a test looks at of an answer.
type reply struct {
	status int
	header http.Header
	body   string
}

func send(t *testing.T, app *fiber.App, method, address, body string, headers map[string]string) reply {
	t.Helper()
	request := httptest.NewRequest(method, address, strings.NewReader(body))
	request.RequestURI = request.URL.RequestURI() // as browsers write it, so that there is a Host
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	answer, err := app.Test(request, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	whole, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{status: answer.StatusCode, header: answer.Header, body: string(whole)}
}

var typedForm = map[string]string{"Content-Type": "application/x-www-form-urlencoded"}

// confined checks the headers that every page has.
func confined(t *testing.T, r reply) {
	t.Helper()
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
		"X-Content-Type-Options":  "nosniff",
		"Referrer-Policy":         "same-origin",
		"Cache-Control":           "no-store",
	} {
		if got := r.header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
