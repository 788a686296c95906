// Package http1 reads HTTP/1.1 messages (RFC 9112) with as little work as a
// benchmark can get away with, so that the programs around the measured one
// leave it the machine.
//
// It reads what the programs of the benchmark send each other: bodies with a
// length or in chunks. It is no client and no server; packages load and
// upstream are.
package http1

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// BufferSize is the size in bytes of the readers that messages are read from.
// No line of a message may be longer.
const BufferSize = 8 << 10

var errMalformed = errors.New("this is not an HTTP/1.1 message")

// Head is what of a message's head matters here.
type Head struct {
	// Start is the first line, without its end. The next Read overwrites it.
	Start []byte
	// ContentLength is the length of the body in bytes, or -1 when the head
	// does not say.
	ContentLength int
	// Chunked says that the body comes in chunks.
	Chunked bool
	// Close says that the sender closes the connection after the message.
	Close bool
}

// Read reads a head up to the blank line after it. It returns io.EOF when
// the connection ends before the first byte.
func (h *Head) Read(r *bufio.Reader) error {
	line, err := readLine(r)
	if err != nil {
		return err
	}
	h.Start = append(h.Start[:0], line...)
	h.ContentLength, h.Chunked, h.Close = -1, false, false
	for {
		line, err := readLine(r)
		if err != nil {
			return unexpected(err)
		}
		if len(line) == 0 {
			return nil
		}
		if err := h.field(line); err != nil {
			return err
		}
	}
}

// field takes one header line. The length of the name rules out most of them.
func (h *Head) field(line []byte) error {
	name, value, ok := bytes.Cut(line, []byte(":"))
	if !ok {
		return errMalformed
	}
	value = bytes.TrimSpace(value)
	switch len(name) {
	case len("connection"):
		if bytes.EqualFold(name, []byte("connection")) {
			h.Close = bytes.EqualFold(value, []byte("close"))
		}
	case len("content-length"):
		if bytes.EqualFold(name, []byte("content-length")) {
			length, err := strconv.Atoi(string(value))
			if err != nil || length < 0 {
				return errMalformed
			}
			h.ContentLength = length
		}
	case len("transfer-encoding"):
		if bytes.EqualFold(name, []byte("transfer-encoding")) {
			h.Chunked = bytes.EqualFold(value, []byte("chunked"))
		}
	}
	return nil
}

// Status is the status of a response's head.
func (h *Head) Status() (int, error) {
	_, rest, ok := bytes.Cut(h.Start, []byte(" "))
	if !ok || !bytes.HasPrefix(h.Start, []byte("HTTP/1.")) || len(rest) < 3 {
		return 0, fmt.Errorf("%w: its first line is %q", errMalformed, h.Start)
	}
	status, err := strconv.Atoi(string(rest[:3]))
	if err != nil {
		return 0, fmt.Errorf("%w: its first line is %q", errMalformed, h.Start)
	}
	return status, nil
}

// readLine returns a line without its end. The next read overwrites it.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		if len(line) > 0 {
			return nil, unexpected(err)
		}
		return nil, err
	}
	return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
}

// Path is the target of a request's head.
func (h *Head) Path() []byte {
	_, rest, _ := bytes.Cut(h.Start, []byte(" "))
	path, _, _ := bytes.Cut(rest, []byte(" "))
	return path
}
