package api

import (
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/fault"
)

// What browsers may send to the public API, and read of its answers.
const (
	corsMethods = "GET, POST"
	// The last one stands for all but Authorization: SDKs send headers of their own.
	corsHeaders = "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-API-Key, X-External-User-Id, X-Request-Id, *"
	corsExposed = "X-Request-ID, X-Error-Code, RateLimit, RateLimit-Policy, Retry-After, X-Should-Retry, Deprecation, Sunset, Link"
	// corsFor is how long a browser need not ask again, in seconds.
	corsFor = "600"
)

// forBrowsers answers browsers that ask whether a page of another origin may call
// the public API, and lets pages of the origins of publishable tokens read the
// answers. A browser asks before it shows a token, so that all publishable tokens
// are meant; whether this token may be used there is for [API.withToken].
func (a *API) forBrowsers(c *fiber.Ctx) error {
	c.Vary(fiber.HeaderOrigin)
	origin := c.Get(fiber.HeaderOrigin)
	if origin == "" {
		return c.Next()
	}
	if c.Method() == fiber.MethodOptions && len(c.Request().Header.Peek(fiber.HeaderAccessControlRequestMethod)) > 0 {
		return a.preflight(c, origin)
	}
	if a.Chatbots.Callers.OriginKnown(origin) {
		readable(c, origin)
	}
	return c.Next()
}

func (a *API) preflight(c *fiber.Ctx, origin string) error {
	listed, err := a.Chatbots.Callers.OriginListed(c.UserContext(), origin)
	if err != nil {
		return err
	}
	if !listed {
		return fault.New(fault.Forbidden, "No publishable token may be used by pages of this origin. Add the origin to one.").Named(fault.OriginNotAllowed)
	}
	readable(c, origin)
	c.Set(fiber.HeaderAccessControlAllowMethods, corsMethods)
	c.Set(fiber.HeaderAccessControlAllowHeaders, corsHeaders)
	c.Set(fiber.HeaderAccessControlMaxAge, corsFor)
	return c.SendStatus(fiber.StatusNoContent)
}

// readable lets a page of an origin read the answer.
func readable(c *fiber.Ctx, origin string) {
	c.Set(fiber.HeaderAccessControlAllowOrigin, origin)
	c.Set(fiber.HeaderAccessControlExposeHeaders, corsExposed)
}

// useOf is from where a request with a token comes.
func (a *API) useOf(c *fiber.Ctx) chatbot.Use {
	use := chatbot.Use{Address: audit.OriginOf(c.UserContext()).Address}
	if use.Origin = c.Get(fiber.HeaderOrigin); use.Origin != "" {
		use.Own = a.isOwn(c, use.Origin)
	}
	return use
}

// isOwn reports whether an origin is this server's: the one that it is known by, or
// the one that the request was sent to.
func (a *API) isOwn(c *fiber.Ctx, origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	own, err := url.Parse(a.BaseURL)
	return err == nil && strings.EqualFold(u.Scheme+"://"+u.Host, own.Scheme+"://"+own.Host) || u.Host == string(c.Request().URI().Host())
}
