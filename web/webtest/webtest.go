// Package webtest sends requests to pages in tests, and reads the answers.
package webtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
)

// Reply is what a test looks at of an answer.
type Reply struct {
	Status int
	Header http.Header
	Body   string
}

func Send(t *testing.T, app *fiber.App, method, address, body string, headers map[string]string) Reply {
	t.Helper()
	reply, err := Receive(t, app, method, address, body, headers)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

// Receive is [Send] for an answer that may end in the middle, with the error that ends it.
func Receive(t *testing.T, app *fiber.App, method, address, body string, headers map[string]string) (Reply, error) {
	t.Helper()
	request := httptest.NewRequest(method, address, strings.NewReader(body))
	request.RequestURI = request.URL.RequestURI() // as browsers write it, so that there is a Host
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	answer, err := app.Test(request, -1)
	if err != nil {
		return Reply{}, err
	}
	defer answer.Body.Close()
	whole, err := io.ReadAll(answer.Body)
	return Reply{Status: answer.StatusCode, Header: answer.Header, Body: string(whole)}, err
}

var TypedForm = map[string]string{"Content-Type": "application/x-www-form-urlencoded"}

// Confined checks the headers that every page has.
func Confined(t *testing.T, r Reply) {
	t.Helper()
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'self'; img-src 'self' data:; object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
		"X-Content-Type-Options":  "nosniff",
		"Referrer-Policy":         "same-origin",
		"Cache-Control":           "no-store",
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
