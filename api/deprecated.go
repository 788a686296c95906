package api

import (
	"github.com/gofiber/fiber/v2"

	"parley/api/route"
)

// referencePath is where people read about the API.
const referencePath = "/docs/api"

// announce makes a route that is deprecated say so in its answers, failures included. It
// leaves all others as they are.
func announce[Handler any](a *API, admit func(route.Declaration, Handler) fiber.Handler) func(route.Declaration, Handler) fiber.Handler {
	return func(d route.Declaration, handle Handler) fiber.Handler {
		admitted := admit(d, handle)
		notice, deprecated := a.notices[d.Method+" "+d.Path]
		if !deprecated {
			return admitted
		}
		return func(c *fiber.Ctx) error {
			c.Set("Deprecation", notice.Deprecation)
			c.Set("Sunset", notice.Sunset)
			c.Set(fiber.HeaderLink, notice.Link)
			return admitted(c)
		}
	}
}
