package security

import "github.com/gofiber/fiber/v2"

const noted = "refused_because"

// Note keeps why a request is refused, for who looks at it when it is answered.
func Note(c *fiber.Ctx, err error) { c.Locals(noted, err) }

// Noted returns what was noted of a request, or nil.
func Noted(c *fiber.Ctx) error {
	err, _ := c.Locals(noted).(error)
	return err
}
