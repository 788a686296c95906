package page

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/audit"
	"parley/internal/clientaddr"
	"parley/internal/requestid"
)

// Origin notes in each request's context where it comes from, for the audit
// log. Its actor is a visitor until [Sessions.Person] knows better. It
// needs requestid.Middleware in front.
func Origin(proxies clientaddr.Proxies) fiber.Handler {
	return func(c *fiber.Ctx) error {
		ctx := audit.From(c.UserContext(), audit.Origin{Address: proxies.Of(c).String(), RequestID: requestid.Of(c)})
		c.SetUserContext(audit.As(ctx, audit.Visitor))
		return c.Next()
	}
}
