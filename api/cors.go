package api

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"parley/core/chatbot"
)

// What browsers may send to the public API, and read of its answers.
const (
	corsMethods = "GET, POST, PATCH, DELETE"
	// The last one stands for all but Authorization: SDKs send headers of their own.
	corsHeaders = "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-API-Key, X-External-User-Id, X-Request-Id, *"
	corsExposed = "X-Request-ID, X-Error-Code, RateLimit, RateLimit-Policy, Retry-After, X-Should-Retry, Deprecation, Sunset, Link"
	// corsFor is how long a browser need not ask again, in seconds.
	corsFor = "600"
)

// forBrowsers answers browsers that ask whether a page of another origin may call the
// public API. A browser asks before it shows a token, so every origin gets the same
// answer: which ones tokens list is nobody's business. Whether the page may read the
// answer to its request is for [API.withToken].
func (a *API) forBrowsers(c *fiber.Ctx) error {
	c.Vary(fiber.HeaderOrigin)
	origin := c.Get(fiber.HeaderOrigin)
	if origin == "" || c.Method() != fiber.MethodOptions || len(c.Request().Header.Peek(fiber.HeaderAccessControlRequestMethod)) == 0 {
		return c.Next()
	}
	readable(c, origin)
	c.Set(fiber.HeaderAccessControlAllowMethods, corsMethods)
	c.Set(fiber.HeaderAccessControlAllowHeaders, corsHeaders)
	c.Set(fiber.HeaderAccessControlMaxAge, corsFor)
	return c.SendStatus(fiber.StatusNoContent)
}

// readableBy lets the page that sent a request read the answer, an error too, if the token
// lists its origin. A token that has expired or was revoked still says so, and a secret
// one, which is refused to every page, to the pages of its chatbot.
func (a *API) readableBy(c *fiber.Ctx, origin string, principal *chatbot.Principal, err error) {
	var refused *chatbot.RefusedToken
	switch {
	case origin == "":
		return
	case principal != nil:
		listed, err := a.Chatbots.Callers.Lists(c.UserContext(), principal, origin)
		if err != nil || !listed {
			return
		}
	case !errors.As(err, &refused) || !refused.Token.Lists(origin):
		return
	}
	readable(c, origin)
}

// readable lets a page of an origin read the answer.
func readable(c *fiber.Ctx, origin string) {
	c.Set(fiber.HeaderAccessControlAllowOrigin, origin)
	c.Set(fiber.HeaderAccessControlExposeHeaders, corsExposed)
}
