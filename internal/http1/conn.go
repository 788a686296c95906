package http1

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// readSize is what a connection reads at once while a response is open: several
	// lines of a stream. No line of a chunk's size may be longer.
	readSize  = 1 << 10
	writeSize = 4 << 10
)

// Only a connection with an open response holds a reader, and only one that sends a
// request a writer.
var (
	readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, readSize) }}
	writers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, writeSize) }}
)

// conn is a connection, with one request at a time.
type conn struct {
	net.Conn
	address string
	reader  *bufio.Reader
	// written counts the bytes of this request.
	written int
	// left is how many bytes may still come before a response's body.
	left int
	// inHead says that left counts.
	inHead bool
	// stop ends the wait for the end of the request's context. It returns false if
	// that has come.
	stop func() bool
	// since is when the connection was last used.
	since time.Time
}

// Read bounds the head of a response.
func (c *conn) Read(p []byte) (int, error) {
	if !c.inHead {
		return c.Conn.Read(p)
	}
	if c.left <= 0 {
		return 0, errHead
	}
	n, err := c.Conn.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// Write counts what goes out.
func (c *conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written += n
	return n, err
}

// write sends a request, and closes its body.
func (c *conn) write(request *http.Request) error {
	c.written = 0
	w := writers.Get().(*bufio.Writer)
	w.Reset(c)
	err := request.Write(w)
	if err == nil {
		err = w.Flush()
	}
	w.Reset(nil)
	writers.Put(w)
	return err
}

// answer reads a response up to its body. Failed is the error of the request: a
// server may have answered before it read all of it, and closed.
func (c *conn) answer(request *http.Request, failed error) (*http.Response, error) {
	c.reader = readers.Get().(*bufio.Reader)
	c.reader.Reset(c)
	c.inHead, c.left = true, maxHead
	asked := &http.Request{Method: request.Method} // A response keeps its request.
	for range maxInformed + 1 {
		response, err := http.ReadResponse(c.reader, asked)
		switch {
		case err != nil && failed != nil:
			return nil, failed
		case err != nil:
			return nil, unexpected(err)
		case response.StatusCode == http.StatusSwitchingProtocols:
			return nil, errSwitch
		case response.StatusCode >= 200:
			c.inHead = false
			response.Request = nil
			response.Close = response.Close || failed != nil
			return response, nil
		}
	}
	return nil, errInformed
}

// unexpected returns the error of a connection that ended within a message.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// cut ends a request whose context has ended, whatever it waits for.
func (c *conn) cut() { _ = c.Conn.Close() }

// drop closes a connection.
func (c *conn) drop() {
	c.stop()
	_ = c.Conn.Close()
}

// body is the body of a response. At its end the connection is kept.
type body struct {
	from io.ReadCloser
	conn *conn
	ctx  context.Context
	keep *idle
	over atomic.Bool
}

// Read returns the cause of the request's context once that has ended.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if err == nil {
		return n, nil
	}
	return n, b.end(err)
}

// end ends a response with the error of a read, which is io.EOF at its end.
func (b *body) end(err error) error {
	if !b.over.CompareAndSwap(false, true) {
		return err
	}
	if err == io.EOF && b.conn.reader.Buffered() == 0 && b.keep != nil && b.conn.stop() {
		b.keep.put(b.conn)
		return err
	}
	b.conn.drop()
	if err == io.EOF {
		return err
	}
	return causeOf(b.ctx, err)
}

// Close closes the connection, unless the response was read to its end.
func (b *body) Close() error {
	if b.over.CompareAndSwap(false, true) {
		b.conn.drop()
	}
	return nil
}
