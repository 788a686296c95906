package load

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"parley/bench/http1"
)

// patience bounds one exchange, so that a server that hangs is an error.
const patience = 30 * time.Second

var (
	errCut   = errors.New("the stream ended without [DONE]")
	errAfter = errors.New("something comes after [DONE]")
	errText  = errors.New("the answer is not the text of the model")
)

// client is one connection. A client that returned an error is of no use any
// more.
type client struct {
	exchange *Exchange
	conn     net.Conn
	head     http1.Head
	r        *bufio.Reader
	body     http1.Body
	lines    *bufio.Reader // Over body, for events.
	buffer   bytes.Buffer  // For a whole answer.
	at       int           // How much of the wanted text has come.
	done     bool          // Whether [DONE] has come.
}

func dial(exchange *Exchange) (*client, error) {
	conn, err := net.DialTimeout("tcp", exchange.Address, patience)
	if err != nil {
		return nil, err
	}
	c := &client{exchange: exchange, conn: conn, r: bufio.NewReaderSize(conn, http1.BufferSize)}
	if exchange.Stream {
		c.lines = bufio.NewReaderSize(&c.body, http1.BufferSize)
	}
	return c, nil
}

func (c *client) close() { _ = c.conn.Close() }

// start sends the request and returns as soon as the first text of the answer
// has arrived.
func (c *client) start() error {
	if err := c.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if _, err := c.conn.Write(c.exchange.Request); err != nil {
		return err
	}
	if err := c.head.Read(c.r); err != nil {
		return fmt.Errorf("no answer: %w", err)
	}
	c.body.Reset(c.r, &c.head)
	c.at, c.done = 0, false
	if status, err := c.head.Status(); err != nil || status != 200 {
		return errors.Join(err, c.refusal(status))
	}
	if !c.exchange.Stream {
		return c.whole()
	}
	c.lines.Reset(&c.body)
	for c.at == 0 {
		if err := c.event(); err != nil {
			return err
		}
	}
	return nil
}

// finish reads the rest of the answer and checks that it is whole.
func (c *client) finish() error {
	for c.exchange.Stream && !c.done {
		if err := c.event(); err != nil {
			return err
		}
	}
	if c.at != len(c.exchange.Want) {
		return fmt.Errorf("%w: it ends after %d of %d bytes", errText, c.at, len(c.exchange.Want))
	}
	if !c.exchange.Stream {
		return nil
	}
	return c.end()
}

// end reads up to the end of a stream's body, so that the connection can be
// used again. Only blank lines may be left.
func (c *client) end() error {
	for {
		line, err := c.lines.ReadSlice('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			return errAfter
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// event reads one line of a stream.
func (c *client) event() error {
	line, err := c.lines.ReadSlice('\n')
	if errors.Is(err, io.EOF) {
		return errCut
	}
	if err != nil {
		return err
	}
	event, ok := bytes.CutPrefix(bytes.TrimRight(line, "\r\n"), []byte("data: "))
	if !ok {
		return nil
	}
	if string(event) == "[DONE]" {
		c.done = true
		return c.missing()
	}
	text, err := c.exchange.Format.piece(event)
	if err != nil {
		return err
	}
	return c.take(text)
}

// missing is an error when the stream is done before its first text.
func (c *client) missing() error {
	if c.at == 0 {
		return fmt.Errorf("%w: there is none", errText)
	}
	return nil
}

func (c *client) whole() error {
	c.buffer.Reset()
	if _, err := c.buffer.ReadFrom(&c.body); err != nil {
		return err
	}
	text, err := c.exchange.Format.whole(c.buffer.Bytes())
	if err != nil {
		return err
	}
	return c.take(text)
}

// take checks that text is the next part of the wanted one.
func (c *client) take(text []byte) error {
	want := c.exchange.Want[c.at:]
	if len(text) > len(want) || string(text) != want[:len(text)] {
		return fmt.Errorf("%w: %q comes after %d bytes", errText, text, c.at)
	}
	c.at += len(text)
	return nil
}

// refusal is the error of an answer with another status than 200.
func (c *client) refusal(status int) error {
	body, _ := io.ReadAll(io.LimitReader(&c.body, 512))
	return fmt.Errorf("%w: status %d, %s", errRefused, status, body)
}
