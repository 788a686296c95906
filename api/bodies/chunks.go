package bodies

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http/httputil"

	"parley/internal/socket"
)

// maxTrailer limits the trailer section, which nobody reads.
const maxTrailer = 4 << 10

var errTrailer = errors.New("bodies: malformed trailer section")

// chunks reads a body in chunks (RFC 9112 section 7.1).
type chunks struct {
	conn    *socket.Conn
	encoded *bufio.Reader
	decoded io.Reader
}

// rawBody reads the connection's bytes.
type rawBody struct{ *body }

func (r rawBody) Read(p []byte) (int, error) { return r.fromConn(p) }

func newChunks(b *body) *chunks {
	encoded := bufio.NewReader(rawBody{b})
	return &chunks{conn: b.conn, encoded: encoded, decoded: httputil.NewChunkedReader(encoded)}
}

// Read ends with io.EOF when all chunks and the trailer section have been read and the
// bytes after them are back on the connection.
func (c *chunks) Read(p []byte) (int, error) {
	n, err := c.decoded.Read(p)
	if err != io.EOF {
		return n, err
	}
	if err := c.trailer(); err != nil {
		return n, err
	}
	rest, _ := c.encoded.Peek(c.encoded.Buffered())
	c.conn.Unread(rest)
	return n, io.EOF
}

// trailer skips the lines up to the empty one.
func (c *chunks) trailer() error {
	for length := 0; length <= maxTrailer; {
		line, err := c.encoded.ReadSlice('\n')
		if err == io.EOF {
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		if !bytes.HasSuffix(line, []byte("\r\n")) {
			return errTrailer
		}
		if len(line) == 2 {
			return nil
		}
		length += len(line)
	}
	return errTrailer
}
