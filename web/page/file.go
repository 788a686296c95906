package page

import (
	"io"

	"github.com/gofiber/fiber/v2"

	"parley/api/bodies"
)

// SendFile sends a file that is made while it is read, as long as the person may read it.
func SendFile(c *fiber.Ctx, v Visit, contentType, name string, from io.Reader) error {
	if err := bodies.Stream(c, bodies.StreamHolds, from, v.Again(c)); err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, contentType)
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="`+name+`"`)
	return nil
}

// SendText sends a file that is made already.
func SendText(c *fiber.Ctx, contentType, name, text string) error {
	c.Set(fiber.HeaderContentType, contentType)
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="`+name+`"`)
	return c.SendString(text)
}
