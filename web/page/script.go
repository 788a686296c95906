package page

import (
	"github.com/gofiber/fiber/v2"

	"parley/api/route"
	"parley/core/fault"
)

// Trial tells a script how a test of settings ended.
type Trial struct {
	Works   bool   `json:"works"`
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
}

// refusal tells a script why something failed, in a sentence that it shows.
type refusal struct {
	Message string `json:"message"`
}

// Refuse answers a script with the sentence of a failure. A failure that is not the
// person's stays an error.
func Refuse(c *fiber.Ctx, err error) error {
	failure := fault.As(err)
	if failure.Kind == fault.Internal {
		return err
	}
	c.Set("X-Error-Code", string(failure.Code()))
	return c.Status(route.FailureOf(failure.Kind).Status).JSON(refusal{failure.Message})
}
