// Package socket knows what TCP connections tell below the level of reads and
// writes: that the other end has gone, and that it is still sending.
package socket

import (
	"io"
	"net"
	"sync/atomic"
	"time"
)

// A closed connection is read for at most this long and this much.
const (
	longest = 2 * time.Second
	most    = 64 << 20
)

// Lingering returns a listener whose connections close so that a client who
// is still sending reads the answer. Without it, closing with unread bytes
// resets the connection, and the answer to a body that was too large is lost.
func Lingering(l net.Listener) net.Listener { return listener{l} }

// ExpectMore tells a connection of a [Lingering] listener that the client is
// still to send what will not be read: it lingers when it is closed, though
// nothing may have arrived yet.
func ExpectMore(c net.Conn) {
	if c, ok := c.(*conn); ok {
		c.more.Store(true)
	}
}

type listener struct{ net.Listener }

// Accept returns a connection that lingers, if it is of TCP.
func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok && err == nil {
		return &conn{TCPConn: tcp}, nil
	}
	return c, err
}

type conn struct {
	*net.TCPConn
	more, stuck atomic.Bool
}

// Write remembers a failure: what a client does not take is not worth keeping.
func (c *conn) Write(p []byte) (int, error) {
	n, err := c.TCPConn.Write(p)
	if err != nil {
		c.stuck.Store(true)
	}
	return n, err
}

// Close closes at once when nothing is unread or to come. Otherwise it says
// that nothing more will be sent, and reads on until the other end closes too.
func (c *conn) Close() error {
	if c.stuck.Load() {
		_ = c.SetLinger(0) // or the kernel would hold what is unsent for minutes
		return c.TCPConn.Close()
	}
	if c.sending() && c.CloseWrite() == nil && c.SetReadDeadline(time.Now().Add(longest)) == nil {
		_, _ = io.CopyN(io.Discard, c.TCPConn, most)
	}
	return c.TCPConn.Close()
}

// sending reports whether the client has sent what is unread, or is about to.
func (c *conn) sending() bool {
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
