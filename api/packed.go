package api

import (
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// worthPacking is from how many bytes on an answer is compressed.
const worthPacking = 1 << 10

// succeedPacked is succeed for long lists that members' browsers read, compressed
// where they take it. No such answer may have a secret: beside what a
// request brought, its compressed size would betray it.
func succeedPacked(c *fiber.Ctx, data any) error {
	if err := succeed(c, data); err != nil {
		return err
	}
	c.Vary(fiber.HeaderAcceptEncoding)
	body := c.Response().Body()
	switch {
	case len(body) < worthPacking:
	case c.Request().Header.HasAcceptEncoding("br"):
		c.Set(fiber.HeaderContentEncoding, "br")
		c.Response().SetBodyRaw(fasthttp.AppendBrotliBytesLevel(nil, body, fasthttp.CompressBrotliBestSpeed+3))
	case c.Request().Header.HasAcceptEncoding("gzip"):
		c.Set(fiber.HeaderContentEncoding, "gzip")
		c.Response().SetBodyRaw(fasthttp.AppendGzipBytesLevel(nil, body, fasthttp.CompressDefaultCompression))
	}
	return nil
}
