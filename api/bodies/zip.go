package bodies

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
)

// zipHolds is what an archive holds while it is read: a large file and what is made of it.
const zipHolds = 8 << 20

// ZIP answers with an archive that write writes while it is read. A failure ends it in the
// middle, so that no reader takes it for whole. It asks valid and fails as [Stream] does.
func ZIP(c *fiber.Ctx, log *slog.Logger, name string, valid func(context.Context) error, write func(ctx context.Context, into io.Writer) error) error {
	from, to := io.Pipe()
	if err := Stream(c, zipHolds, from, valid); err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, "application/zip")
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="`+name+`.zip"`)
	c.Set(fiber.HeaderCacheControl, "no-store")
	ctx := context.WithoutCancel(c.UserContext()) // it is written once the handler has returned
	go func() {
		err := protected(func() error { return write(ctx, to) })
		if err != nil && !errors.Is(err, io.ErrClosedPipe) { // which the reader closed
			log.Log(ctx, fault.Level(err), "a download ended early", "error", err)
		}
		_ = to.CloseWithError(err) // never fails
	}()
	return nil
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
