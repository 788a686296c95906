package api

import (
	"net/http/httptest"
	"testing"

	"github.com/gofiber/fiber/v2"

	"parley/api/route"
)

func TestDeprecatedRoutesSaySo(t *testing.T) {
	const text = `
paths:
  /api/v1/openapi.yaml:
    get: {deprecated: true, x-deprecated-since: 2027-01-31, x-sunset: 2028-01-31}
`
	app := fiber.New(fiber.Config{ErrorHandler: func(c *fiber.Ctx, err error) error { return c.SendStatus(failureOf(err).status) }})
	New(Deps{Description: text, BaseURL: "https://chat.example.org"}).Register(app, &route.Table{})
	for path, want := range map[string][3]string{
		"/api/v1/openapi.yaml": {"@1801353600", "Mon, 31 Jan 2028 00:00:00 GMT", `<https://chat.example.org/docs/api>; rel="deprecation"; type="text/html"`},
		"/healthz":             {},
	} {
		response, err := app.Test(httptest.NewRequest("GET", path, nil))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if got := [3]string{response.Header.Get("Deprecation"), response.Header.Get("Sunset"), response.Header.Get("Link")}; got != want {
			t.Errorf("%s has %q", path, got)
		}
	}
}
