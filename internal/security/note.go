package security

import "github.com/gofiber/fiber/v2"

const noted = "refused_because"

// Note records why a request is refused, for code that runs when it is answered.
func Note(c *fiber.Ctx, err error) { c.Locals(noted, err) }

// Noted returns the recorded reason, or nil.
func Noted(c *fiber.Ctx) error {
	err, _ := c.Locals(noted).(error)
	return err
}
