package page

import (
	"testing"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/web/webtest"
)

func TestSameOrigin(t *testing.T) {
	type headers = map[string]string
	sentences := []struct {
		name    string
		method  string
		headers headers
		passes  bool
	}{
		{"reading from another site passes", "GET", headers{"Sec-Fetch-Site": "cross-site"}, true},
		{"asking for headers from another site passes", "HEAD", headers{"Origin": "https://evil.example"}, true},
		{"a preflight passes", "OPTIONS", headers{"Origin": "https://evil.example"}, true},
		{"a form of the same origin passes", "POST", headers{"Sec-Fetch-Site": "same-origin"}, true},
		{"a request typed by the person passes", "POST", headers{"Sec-Fetch-Site": "none"}, true},
		{"a form of another site is refused", "POST", headers{"Sec-Fetch-Site": "cross-site"}, false},
		{"a form of a sister host is refused", "POST", headers{"Sec-Fetch-Site": "same-site"}, false},
		{"an unknown Sec-Fetch-Site is refused", "POST", headers{"Sec-Fetch-Site": "same-origin, none"}, false},
		{"a matching origin does not mend Sec-Fetch-Site", "POST", headers{"Sec-Fetch-Site": "cross-site", "Origin": webtest.BaseURL}, false},
		{"PUT is refused", "PUT", headers{"Sec-Fetch-Site": "cross-site"}, false},
		{"PATCH is refused", "PATCH", headers{"Sec-Fetch-Site": "cross-site"}, false},
		{"DELETE is refused", "DELETE", headers{"Sec-Fetch-Site": "cross-site"}, false},
		{"the origin of the host passes", "POST", headers{"Origin": "http://inside.test:8080"}, true},
		{"the origin of the base URL passes", "POST", headers{"Origin": webtest.BaseURL}, true},
		{"the base URL by HTTP is another origin", "POST", headers{"Origin": "http://parley.example.com"}, false},
		{"the origin of another site is refused", "POST", headers{"Origin": "https://evil.example"}, false},
		{"the origin of another port is refused", "POST", headers{"Origin": "http://inside.test:9090"}, false},
		{"an origin that only begins alike is refused", "POST", headers{"Origin": webtest.BaseURL + ".evil.example"}, false},
		{"an opaque origin is refused", "POST", headers{"Origin": "null"}, false},
		{"what is not a browser passes", "POST", nil, true},
	}
	app := fiber.New(fiber.Config{Immutable: true, ErrorHandler: func(c *fiber.Ctx, err error) error {
		if !fault.Is(err, fault.Forbidden) {
			t.Errorf("refused with %v, want a Forbidden fault", err)
		}
		return c.SendStatus(fiber.StatusForbidden)
	}})
	app.Use(NewSessions(nil, nil, true, webtest.BaseURL+":443/").SameOrigin)
	app.Use(func(c *fiber.Ctx) error { return c.SendStatus(fiber.StatusNoContent) })

	for _, s := range sentences {
		t.Run(s.name, func(t *testing.T) {
			got := webtest.Send(t, app, s.method, "http://inside.test:8080/anything", "", s.headers).Status
			want := fiber.StatusForbidden
			if s.passes {
				want = fiber.StatusNoContent
			}
			if got != want {
				t.Errorf("status %d, want %d", got, want)
			}
		})
	}
}
