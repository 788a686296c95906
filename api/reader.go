package api

import (
	"context"
	"net"

	"github.com/gofiber/fiber/v2"

	"parley/core/chat/turn"
	"parley/core/fault"
	"parley/core/rate"
	"parley/internal/diskspace"
	"parley/internal/socket"
	"parley/internal/trace"
)

// errClientGone is the cause of a context that ends because the client has gone. A
// client who only stopped sending reads it.
var errClientGone = fault.Wrap(fault.Invalid, turn.ErrLeft,
	"The client closed its side of the connection before the answer was complete. Keep it open until then.")

// reader is the client that an answer is for. Its context ends when it goes
// away, or when running turns must end.
type reader struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	conn   net.Conn
	// unwatch must be called before the server reads the connection again.
	unwatch func()
	// slot is the stream's slot, or nil.
	slot *rate.Slot
}

// newReader returns the reader of a request, whose context ends when the client goes away.
func (a *API) newReader(c *fiber.Ctx) reader {
	lifetime := a.Lifetime
	if full := diskspace.Full(c.UserContext()); full != nil {
		lifetime = diskspace.WithFull(lifetime, full)
	}
	ctx, cancel := context.WithCancelCause(trace.Carry(lifetime, c.UserContext()))
	conn := c.Context().Conn()
	return reader{ctx, cancel, conn, socket.Watch(conn, func() { cancel(errClientGone) }), nil}
}

// leave ends the watch, at the end of the request.
func (r reader) leave() {
	r.unwatch()
	r.cancel(nil)
	r.slot.Leave()
}
