package web

import (
	"github.com/gofiber/fiber/v2"

	"parley/api/bodies"
	"parley/static"
	"parley/web/page"
)

// files answers with the embedded files.
type files struct{ *page.Base }

// static answers with a file. One at the present address never changes, so that
// browsers ask once. A page of another version, as while servers are replaced,
// gets the present file, and asks again the next time.
func (s files) static(c *fiber.Ctx) error {
	file, fixed, found := static.Open(c.Params("*"))
	if !found {
		return page.Fail(c, s.Log, fiber.ErrNotFound)
	}
	page.SetHeaders(c)
	c.Set(fiber.HeaderCacheControl, "no-cache")
	if fixed {
		c.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
	}
	c.Set(fiber.HeaderContentType, file.Type)
	return bodies.SendShared(c, packed(c, file))
}

// packed is a file in the smallest form that the browser takes.
func packed(c *fiber.Ctx, file static.File) []byte {
	c.Vary(fiber.HeaderAcceptEncoding)
	if small := file.Brotli(); small != nil && c.Request().Header.HasAcceptEncoding("br") {
		c.Set(fiber.HeaderContentEncoding, "br")
		return small
	}
	if small := file.Gzip(); small != nil && c.Request().Header.HasAcceptEncoding("gzip") {
		c.Set(fiber.HeaderContentEncoding, "gzip")
		return small
	}
	return file.Content
}
