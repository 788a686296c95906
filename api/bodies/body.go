package bodies

import (
	"errors"
	"io"
	"net/netip"
	"os"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/internal/socket"
)

const (
	// small is the size up to which a body is not counted: as much as the headers
	// may take.
	small = 8 << 10
	// first is the memory that a body gets before it arrives.
	first = 1 << 10
	// step is the memory that is counted at a time.
	step = 64 << 10
	// madeOf is what a body counts as, in halves of its bytes: it is copied while it
	// grows, and then something is made of it.
	madeOf = 3
	// patience is how long a body may take, plus a second for every slowest bytes
	// received.
	patience = 30 * time.Second
	slowest  = 128 << 10
)

const notComplete = "The body did not arrive completely. Send the request again."

var (
	errBroken = fiber.NewError(fiber.StatusBadRequest, notComplete)
	// ErrLeft is what a client gets that stopped sending, if it still reads.
	ErrLeft = fiber.NewError(fiber.StatusBadRequest, notComplete)
)

// body is the body of a request that is being answered.
type body struct {
	framing
	all    *Bodies
	memory *memory
	conn   *socket.Conn
	limit  int64
	// open says that anyone may send it, so that the connection may be closed for
	// others while the body is awaited.
	open bool

	// asked says that the handler has asked for it, and failed why reading it
	// failed.
	asked  bool
	failed error
	// taken is how much was read. left is how much is still to come, if the length
	// is known.
	taken, left int64
	done        bool
	chunks      *chunks
	started     time.Time

	client netip.Prefix
	held   int64
}

// begin refuses a body whose announced length is too large, before it tells the client
// to send it.
func (b *body) begin(c *fiber.Ctx) error {
	if b.length > b.limit {
		return b.fail(ErrTooLarge)
	}
	b.client = clientOf(b.all.client, c)
	b.started = time.Now()
	if b.length == chunked {
		b.chunks = newChunks(b)
	}
	if !b.expects {
		return nil
	}
	b.expects = false
	if _, err := io.WriteString(b.conn, "HTTP/1.1 100 Continue\r\n\r\n"); err != nil {
		return b.fail(ErrLeft)
	}
	return nil
}

func (b *body) fail(err error) error {
	b.failed = err
	return err
}

// Read reads what has arrived, and waits if nothing has.
func (b *body) Read(p []byte) (int, error) {
	switch {
	case b.failed != nil:
		return 0, b.failed
	case b.done:
		return 0, io.EOF
	}
	n, err := b.next(p)
	b.taken += int64(n)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, b.fail(fiber.ErrRequestTimeout)
	case err != nil && !b.done && (b.chunks == nil || errors.Is(err, io.ErrUnexpectedEOF)):
		return n, b.fail(ErrLeft)
	case err != nil && !b.done:
		return n, b.fail(errBroken)
	case b.taken > b.limit:
		return n, b.fail(ErrTooLarge)
	}
	if err := b.hold(); err != nil {
		return n, b.fail(err)
	}
	return n, nil
}

// next reads without limits. At the end of the body it sets done, without an error.
func (b *body) next(p []byte) (n int, err error) {
	if b.chunks != nil {
		n, err = b.chunks.Read(p)
		b.done = err == io.EOF
		return n, err
	}
	n, err = b.fromConn(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	b.done = b.left == 0
	return n, err
}

// fromConn reads bytes from the connection. A body that arrives steadily may take as
// long as its size needs.
func (b *body) fromConn(p []byte) (int, error) {
	if b.conn.Buffered() == 0 {
		_ = b.conn.SetReadDeadline(b.started.Add(b.all.patience + time.Duration(b.taken/slowest)*time.Second))
	}
	return b.conn.ReadBody(p)
}

// hold counts the memory of a large body.
func (b *body) hold() error {
	takes := b.taken * madeOf / 2
	if b.taken <= small || takes <= b.held {
		return nil
	}
	more := max(takes-b.held, step)
	if err := b.memory.reserve(b.client, more); err != nil {
		return err
	}
	b.held += more
	return nil
}

// readAll reads to the end. Memory grows with what has arrived, because a length is
// easily announced.
func (b *body) readAll() (_ []byte, err error) {
	size := max(int64(b.conn.Buffered()), first)
	if b.length > 0 {
		size = min(size, b.length)
	}
	content := make([]byte, 0, size)
	if b.open && (b.length == chunked || int64(b.conn.Buffered()) < b.length) {
		b.conn.Yield()
		defer func() {
			if !b.conn.Resume() && err == nil {
				err = b.fail(errBroken)
			}
		}()
	}
	for {
		if len(content) == cap(content) {
			content = b.grown(content)
		}
		n, err := b.Read(content[len(content):cap(content)])
		content = content[:len(content)+n]
		if err == io.EOF || err == nil && b.done {
			return content, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// grown returns the content with twice its capacity, or with the capacity of the
// whole body if that is known and less.
func (b *body) grown(content []byte) []byte {
	size := 2 * int64(cap(content))
	if b.length > 0 {
		size = min(size, b.length)
	}
	more := make([]byte, len(content), size)
	copy(more, content)
	return more
}

// skip reads and drops the rest of a body.
func (b *body) skip() error {
	var over [4 << 10]byte
	for b.left > 0 {
		n, err := b.conn.ReadBody(over[:min(int64(len(over)), b.left)])
		b.left -= int64(n)
		if err != nil {
			return err
		}
	}
	return nil
}

// end releases the body. It skips the rest of it, or closes the connection.
func (b *body) end(c *fiber.Ctx) {
	if b.asked {
		c.Request().ResetBody()
	}
	if b.held > 0 {
		b.memory.release(b.client, b.held)
	}
	switch {
	case b.done && b.failed == nil:
		b.conn.EndRequest(nil)
	case b.canSkip():
		b.conn.EndRequest(b.skip)
	default:
		closeAfter(c, b.conn)
	}
}

// canSkip reports whether the rest of the body is known, small, and being sent.
func (b *body) canSkip() bool {
	intact := b.failed == nil || errors.Is(b.failed, ErrTooLarge)
	return intact && !b.expects && b.length > 0 && b.left <= maxSkipped
}
