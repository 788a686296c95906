// Package download sends a file that is made while it is read: nothing of it is held, and
// nothing is left on the disk.
package download

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/gofiber/fiber/v2"
)

// writeWait is how long a reader may take nothing.
const writeWait = 30 * time.Second

// ZIP answers with an archive that write writes. A failure ends it in the middle, so that
// no reader takes it for whole.
func ZIP(c *fiber.Ctx, log *slog.Logger, name string, write func(ctx context.Context, into io.Writer) error) {
	c.Set(fiber.HeaderContentType, "application/zip")
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="`+name+`.zip"`)
	c.Set(fiber.HeaderCacheControl, "no-store")
	// Nothing of c may be used once the handler has returned.
	conn, ctx := c.Context().Conn(), context.WithoutCancel(c.UserContext())
	from, to := io.Pipe()
	go func() {
		err := protected(func() error { return write(ctx, to) })
		if err != nil {
			log.Warn("a download ended early", "error", err)
		}
		_ = to.CloseWithError(err) // never fails
	}()
	c.Context().SetBodyStream(patient{from, func() error { return conn.SetWriteDeadline(time.Now().Add(writeWait)) }}, -1)
}

// protected turns a panic, which would end the process, into an error.
func protected(write func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return write()
}

// patient gives each part of a body its time. Closing it ends what writes it.
type patient struct {
	*io.PipeReader
	more func() error
}

// Read implements [io.Reader].
func (p patient) Read(into []byte) (int, error) {
	if err := p.more(); err != nil {
		return 0, err
	}
	return p.PipeReader.Read(into)
}
