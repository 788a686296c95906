// Package bodies bounds the memory of the bodies of requests and of answers. It reads a body when a handler
// asks for it, which the handler does once it knows the caller. A body takes
// memory as its bytes arrive, up to the limit that its route declares and to the
// limit of all bodies together. A large answer takes memory until its reader has taken it.
//
// It does not own how large the body of a route may be.
package bodies

import (
	"net/netip"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/internal/netgroup"
	"parley/internal/socket"
)

// ErrTooLarge refuses a body above the limit of its route.
var ErrTooLarge = fiber.ErrRequestEntityTooLarge

// MinMemory is the least memory, in bytes, with which documents of every size can be
// sent.
const MinMemory = 128 << 20

// Bodies bounds the memory of all bodies.
type Bodies struct {
	client         func(*fiber.Ctx) netip.Addr
	signedIn, open *memory
	// patience is how long a body may take; see [slowest].
	patience time.Duration
}

// New returns bodies that take at most the given number of bytes at once, but not less
// than [MinMemory]. client returns the address from which a request comes.
func New(bytes int64, client func(*fiber.Ctx) netip.Addr) *Bodies {
	return &Bodies{
		client:   client,
		signedIn: newMemory(bytes, bytes/share),
		open:     newMemory(bytes/openShare, bytes/openShare/share),
		patience: patience,
	}
}

const (
	localBody = "body"
	// defaultLimit applies to routes that declare none.
	defaultLimit = 64 << 10
	// maxSkipped is how much of an unwanted body is read so that the connection can
	// be reused.
	maxSkipped = 64 << 10
)

// UpTo declares how large the body of a route may be, in bytes. The route's handler must
// know that the caller may call it before it reads the body.
func UpTo(limit int) fiber.Handler { return declare(limit, false) }

// OpenUpTo is [UpTo] for a route that anyone may call.
func OpenUpTo(limit int) fiber.Handler { return declare(limit, true) }

func declare(limit int, open bool) fiber.Handler {
	return func(c *fiber.Ctx) error {
		b, ok := c.Locals(localBody).(*body)
		if !ok {
			if len(c.Request().Body()) > limit { // in tests without a socket
				return ErrTooLarge
			}
			return c.Next()
		}
		b.limit = int64(limit)
		if open {
			b.memory, b.open = b.all.open, true
		}
		return c.Next()
	}
}

// Middleware defers reading bodies until handlers ask for them. The connections must
// come from a [socket.Listener] and the server must call [HeadOnly]. It refuses a
// request with unclear framing, and closes the connection of a request whose unwanted
// body is too large to skip.
func (all *Bodies) Middleware(c *fiber.Ctx) error {
	conn, ok := c.Context().Conn().(*socket.Conn)
	if !ok {
		return c.Next() // in tests without a socket
	}
	framing, err := framingOf(&c.Request().Header)
	if err != nil {
		closeAfter(c, conn)
		return err
	}
	if framing.length == 0 {
		defer conn.EndRequest(nil)
		return c.Next()
	}
	b := &body{all: all, memory: all.signedIn, conn: conn, framing: framing, left: framing.length, limit: defaultLimit}
	c.Locals(localBody, b)
	defer b.end(c)
	return c.Next()
}

// Read reads the body of a request, if it has one, so that the methods of
// c.Request() return it. It may be called twice.
//
// Failures: [ErrTooLarge], a fiber.Error of 400 or 408 if the body is broken or late,
// RateLimited and Unavailable if there is no memory for it.
func Read(c *fiber.Ctx) error {
	b, ok := c.Locals(localBody).(*body)
	if !ok || b.asked {
		return nil
	}
	b.asked = true
	if err := b.begin(c); err != nil {
		return err
	}
	content, err := b.readAll()
	if err != nil {
		return err
	}
	c.Request().SetBodyRaw(content)
	return nil
}

// Announced reports whether a request has a body, before it is read.
func Announced(c *fiber.Ctx) bool {
	if b, ok := c.Locals(localBody).(*body); ok && !b.asked {
		return true
	}
	return len(c.Request().Body()) > 0
}

func closeAfter(c *fiber.Ctx, conn *socket.Conn) {
	c.Context().SetConnectionClose()
	socket.ExpectMore(conn)
}

// clientOf is called when a body becomes large.
func clientOf(client func(*fiber.Ctx) netip.Addr, c *fiber.Ctx) netip.Prefix {
	return netgroup.Of(client(c))
}
