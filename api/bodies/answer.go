package bodies

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/internal/requestline"
)

const (
	// ofBodies is the memory of answers, as a part of the memory of bodies: one half.
	ofBodies = 2
	// smallAnswer is the size up to which an answer is not counted.
	smallAnswer = 16 << 10
	// StreamHolds is what an answer holds that is made while it is read.
	StreamHolds = 256 << 10
	// writeWait is how long a reader of such an answer may take nothing.
	writeWait = 30 * time.Second
	// askedAfter and askedEach are how long a reader of such an answer reads on, and how many
	// bytes it gets, until it is asked for whether it still may.
	askedAfter = time.Second
	askedEach  = 32 << 10

	localAnswer = "answer"
)

var (
	errTooManyAnswersOfClient = &fault.Error{
		Kind: fault.RateLimited, RetryAfter: retryAfter,
		Message: "Your network is reading too many large answers at once. Read them to the end, then try again.",
	}
	errTooManyAnswers = (&fault.Error{
		Kind: fault.Unavailable, RetryAfter: retryAfter,
		Message: "The server is sending too many large answers. Try again in a few seconds.",
	}).Named(fault.Overloaded)
)

// Answers bounds the memory of the answers that wait until their readers have taken them.
type Answers struct {
	client func(*fiber.Ctx) netip.Addr
	memory *memory
}

// NewAnswers returns the bound that belongs to the memory of bodies. client returns the
// address from which a request comes.
func NewAnswers(bytes int64, client func(*fiber.Ctx) netip.Addr) *Answers {
	m := newMemory(bytes/ofBodies, bytes/ofBodies/share)
	m.ofClient, m.ofAll = errTooManyAnswersOfClient, errTooManyAnswers
	return &Answers{client, m}
}

// answer is what the request's answer may take.
type answer struct {
	all *Answers
	// owed says that it is sent whatever it takes, and shared that it takes nothing.
	owed, shared bool
}

// Middleware counts the answer of each request until it is sent. It refuses the request
// instead if there is no memory for its answer, unless the handler calls [Owe].
func (all *Answers) Middleware(c *fiber.Ctx) error {
	a := &answer{all: all}
	c.Locals(localAnswer, a)
	if err := c.Next(); err != nil {
		return err
	}
	response := c.Response()
	if a.shared || response.IsBodyStream() || len(response.Body()) <= smallAnswer {
		return nil
	}
	size := int64(len(response.Body()))
	held, err := a.hold(c, size)
	if err != nil {
		response.ResetBody()
		response.Header.Del(fiber.HeaderContentEncoding)
		response.Header.Del(fiber.HeaderContentDisposition)
		return err
	}
	body := response.Body()
	response.SwapBody(nil) // or the pool of buffers would get it
	response.SetBodyStream(&counted{Reader: bytes.NewReader(body), held: held}, len(body))
	return nil
}

// Owe says that the request's answer must be sent whatever it takes, because what it tells
// of has been done and is not done again.
func Owe(c *fiber.Ctx) {
	if a, ok := c.Locals(localAnswer).(*answer); ok {
		a.owed = true
	}
}

// SendShared answers with bytes that all such answers share, so that they take no memory of
// their own. Nobody may change them.
func SendShared(c *fiber.Ctx, content []byte) error {
	if a, ok := c.Locals(localAnswer).(*answer); ok {
		a.shared = true
	}
	return c.Send(content)
}

// hold counts bytes of a client until they are released.
func (a *answer) hold(c *fiber.Ctx, n int64) (*held, error) {
	h := &held{memory: a.all.memory, client: clientOf(a.all.client, c)}
	if a.owed {
		h.take(n)
		return h, nil
	}
	if err := h.memory.reserve(h.client, n); err != nil {
		return nil, err
	}
	h.n = n
	return h, nil
}

// held is counted memory of a client.
type held struct {
	memory *memory
	client netip.Prefix
	once   sync.Once
	n      int64
}

// take counts more, whether or not there is memory for it.
func (h *held) take(n int64) {
	h.memory.add(h.client, n)
	h.n += n
}

func (h *held) release() { h.once.Do(func() { h.memory.release(h.client, h.n) }) }

// counted is a whole answer, whose memory is released when it is sent.
type counted struct {
	*bytes.Reader
	held *held
}

// Close implements [io.Closer].
func (c *counted) Close() error {
	c.held.release()
	return nil
}

// Stream answers with what is made while it is read, and holds the given number of bytes
// meanwhile. The body is closed in the end, if that can be done, also if it is refused.
// An error of it ends the answer in the middle, so that no reader takes it for whole; so
// does one of valid, which says whether the caller may still read it. Nothing of c may be
// used by either, since the answer is read once the handler has returned.
//
// Failures: RateLimited and Unavailable if there is no memory for it.
func Stream(c *fiber.Ctx, holds int64, body io.Reader, valid func(context.Context) error) error {
	ctx := context.WithoutCancel(c.UserContext())
	s := &stream{Reader: body, line: requestline.Of(c), conn: c.Context().Conn(), valid: func() error { return valid(ctx) }}
	if a, ok := c.Locals(localAnswer).(*answer); ok { // not in tests without it
		var err error
		if s.held, err = a.hold(c, holds); err != nil {
			return errors.Join(err, s.Close())
		}
	}
	s.line.Hold()
	c.Context().SetBodyStream(s, -1)
	return nil
}

// stream gives each part of a body its time, while its reader may read it.
type stream struct {
	io.Reader
	line *requestline.Line
	conn net.Conn
	held *held
	// ended is how it ended: io.EOF at its end, nil before. sent is how many bytes were read.
	ended error
	sent  int64

	valid func() error
	// asked is when valid was last called, and since how many bytes were read after it.
	asked time.Time
	since int
}

// Read implements [io.Reader].
func (s *stream) Read(into []byte) (n int, err error) {
	defer func() { s.sent, s.ended = s.sent+int64(n), err }()
	if err := s.conn.SetWriteDeadline(time.Now().Add(writeWait)); err != nil {
		return 0, err
	}
	if s.since >= askedEach || time.Since(s.asked) >= askedAfter {
		if err := s.valid(); err != nil {
			return 0, err
		}
		s.asked, s.since = time.Now(), 0
	}
	n, err = s.Reader.Read(into)
	s.since += n
	return n, err
}

// Close implements [io.Closer].
func (s *stream) Close() error {
	status, code := s.outcome()
	s.line.End(status, code, s.sent)
	if s.held != nil {
		s.held.release()
	}
	if closer, can := s.Reader.(io.Closer); can {
		return closer.Close()
	}
	return nil
}

// outcome is how it ended, for the log.
func (s *stream) outcome() (status int, code string) {
	switch {
	case s.ended == nil, errors.Is(s.ended, net.ErrClosed):
		return requestline.ClientGone, ""
	case errors.Is(s.ended, io.EOF):
		return fiber.StatusOK, ""
	case fault.Is(s.ended, fault.Unauthenticated):
		return fiber.StatusUnauthorized, string(fault.As(s.ended).Code())
	case fault.Is(s.ended, fault.Forbidden):
		return fiber.StatusForbidden, string(fault.As(s.ended).Code())
	}
	return fiber.StatusInternalServerError, string(fault.As(s.ended).Code())
}
