package page

import (
	"errors"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
)

// ErrCrossSite is the cause of the fault of a request that another site's page
// has started.
var ErrCrossSite = errors.New("started by another site")

// SameOrigin refuses, as Forbidden, a request to change something that the
// page of another site has started. Browsers say so in Sec-Fetch-Site, and
// older ones give the Origin; what sends neither is not a browser. It decides
// as [net/http.CrossOriginProtection], with the server's own address trusted
// when a proxy has changed the Host.
func (s *Sessions) SameOrigin(c *fiber.Ctx) error {
	if s.sameOrigin(c) {
		return c.Next()
	}
	return fault.Wrap(fault.Forbidden, ErrCrossSite, "This request came from another site. Open the page here and try again.")
}

func (s *Sessions) sameOrigin(c *fiber.Ctx) bool {
	switch c.Method() {
	case fiber.MethodGet, fiber.MethodHead, fiber.MethodOptions:
		return true
	}
	switch c.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return true
	case "":
	default:
		return false
	}
	origin := c.Get(fiber.HeaderOrigin)
	if origin == "" || origin == s.origin {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && u.Host == string(c.Request().URI().Host())
}
