package page

import (
	"io"
	"time"

	"github.com/gofiber/fiber/v2"
)

// writeWait is how long a reader of a file may take nothing.
const writeWait = 30 * time.Second

// SendFile sends a file that is made while it is read, and closes it if that can be done.
// Nothing of c may be used by it, since it is read once the handler has returned.
func SendFile(c *fiber.Ctx, contentType, name string, from io.Reader) error {
	c.Set(fiber.HeaderContentType, contentType)
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="`+name+`"`)
	conn := c.Context().Conn()
	c.Context().SetBodyStream(patient{from, func() error { return conn.SetWriteDeadline(time.Now().Add(writeWait)) }}, -1)
	return nil
}

// patient gives each part of a body its time.
type patient struct {
	io.Reader
	wait func() error
}

// Read implements [io.Reader].
func (p patient) Read(into []byte) (int, error) {
	if err := p.wait(); err != nil {
		return 0, err
	}
	return p.Reader.Read(into)
}

// Close implements [io.Closer].
func (p patient) Close() error {
	if closer, can := p.Reader.(io.Closer); can {
		return closer.Close()
	}
	return nil
}
