// Package socket owns the TCP connections of an HTTP/1 server below its parser:
// how many may be open, which one is closed for another, where a header section
// ends, and whether the client has gone or is still sending.
package socket

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"
)

// A closed connection is drained for at most this long and this much.
const (
	longest = 2 * time.Second
	most    = 64 << 20
)

// ErrHeadPassed means that the server tried to read past the header section of a request
// that has not ended. Server and connection then disagree about where a request ends, so
// the connection must close.
var ErrHeadPassed = errors.New("socket: read past the header section")

// The part of a request that the server reads next.
const (
	inHead  = iota // a header section, perhaps the rest of one
	inBody         // nothing: ReadBody reads the body
	between        // the next request, after the rest of the last one
)

// The states that decide whether the listener may close a connection to admit another.
const (
	silent int32 = iota // no request is in progress, or only one that has yielded
	busy
	closed
)

// Conn is a connection of a [Listener]. Its Read returns only header sections. ReadBody
// reads the rest, so that the server reads no body before a handler asks for it.
type Conn struct {
	*net.TCPConn
	listener *Listener
	place    place
	refusal  Refusal

	more, stuck atomic.Bool
	state       atomic.Int32

	// The fields below belong to the goroutine that serves the connection.
	reading int
	head    head
	rest    []byte
	skip    func() error
}

// Read reads a header section, and never past its end.
func (c *Conn) Read(p []byte) (int, error) {
	switch c.reading {
	case inBody:
		return 0, ErrHeadPassed
	case between:
		if err := c.next(); err != nil {
			return 0, err
		}
	}
	return c.readHead(p)
}

// next waits for another request.
func (c *Conn) next() error {
	c.listener.silence(c)
	if skip := c.skip; skip != nil {
		c.skip = nil
		if err := skip(); err != nil {
			return err
		}
	}
	c.reading, c.head = inHead, head{}
	return nil
}

func (c *Conn) readHead(p []byte) (int, error) {
	read, err := c.ReadBody(p)
	if err != nil {
		return 0, err
	}
	n, done, err := c.head.take(p[:read])
	if err != nil {
		return 0, err
	}
	c.Unread(p[n:read])
	if !done {
		return n, nil
	}
	c.reading = inBody
	if !c.state.CompareAndSwap(silent, busy) {
		return 0, net.ErrClosed // the listener has just closed it to admit another
	}
	return n, nil
}

// ReadBody reads the bytes after the header section, until EndRequest.
func (c *Conn) ReadBody(p []byte) (int, error) {
	if len(c.rest) == 0 {
		return c.TCPConn.Read(p)
	}
	n := copy(p, c.rest)
	if c.rest = c.rest[n:]; len(c.rest) == 0 {
		c.rest = nil
	}
	return n, nil
}

// Buffered returns how many bytes ReadBody can return without waiting.
func (c *Conn) Buffered() int { return len(c.rest) }

// Unread returns bytes that were read too far.
func (c *Conn) Unread(p []byte) {
	switch {
	case len(p) == 0:
	case len(c.rest) == 0:
		c.rest = bytes.Clone(p)
	default:
		c.rest = append(bytes.Clone(p), c.rest...)
	}
}

// EndRequest says that the request has been handled, so that the next bytes are the next
// request. First it calls skip, which may be nil and drops the rest of this request.
func (c *Conn) EndRequest(skip func() error) { c.reading, c.skip = between, skip }

// Yield lets the listener close the connection for another while the server waits for a
// stranger's body, although a request has started. Resume must follow.
func (c *Conn) Yield() { c.listener.silence(c) }

// Resume ends the state that Yield began. It reports whether the connection is
// still open.
func (c *Conn) Resume() bool { return c.state.CompareAndSwap(silent, busy) }

// Refusal returns why the connection is refused, or Admitted.
func (c *Conn) Refusal() Refusal { return c.refusal }

// ExpectMore tells a connection of a [Listener] that the client will still send data that
// nobody reads. Close then lingers, even if nothing has arrived yet.
func ExpectMore(c net.Conn) {
	if c, ok := c.(*Conn); ok {
		c.more.Store(true)
	}
}

// Write records a failure, so that Close discards the unsent bytes.
func (c *Conn) Write(p []byte) (int, error) {
	n, err := c.TCPConn.Write(p)
	if err != nil {
		c.stuck.Store(true)
	}
	return n, err
}

// Close closes immediately if nothing is unread or expected. Otherwise it shuts down the
// sending side and drains the connection until the other end closes, too: closing with
// unread bytes would reset the connection, and the client would lose the response to a
// refused body.
func (c *Conn) Close() error {
	defer c.listener.forget(c)
	if c.stuck.Load() {
		_ = c.SetLinger(0) // otherwise the kernel keeps unsent bytes for minutes
		return c.TCPConn.Close()
	}
	c.state.CompareAndSwap(busy, silent) // a connection that only lingers may be closed for another
	if c.sending() && c.CloseWrite() == nil && c.SetReadDeadline(time.Now().Add(longest)) == nil {
		_, _ = io.CopyN(io.Discard, c.TCPConn, most)
	}
	return c.TCPConn.Close()
}

// hasArrived reports whether the client has sent bytes that the server has not read.
func (c *Conn) hasArrived() bool {
	rc, err := c.SyscallConn()
	if err != nil {
		return false
	}
	arrived := false
	err = rc.Control(func(fd uintptr) {
		readable, closed := peek(fd)
		arrived = readable && !closed
	})
	return err == nil && arrived
}

// sending reports whether the client has sent unread bytes, or is about to send some.
func (c *Conn) sending() bool {
	rc, err := c.SyscallConn()
	if err != nil {
		return false
	}
	waiting := false
	err = rc.Control(func(fd uintptr) {
		readable, closed := peek(fd)
		waiting = !closed && (readable || c.more.Load())
	})
	return err == nil && waiting
}
