package http1

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
)

// Body reads the body of one message as it arrives: a Read returns what has
// arrived rather than wait for more. Its zero value is an empty body.
type Body struct {
	r       *bufio.Reader
	left    int // Bytes of the body, or of the current chunk.
	chunked bool
	begun   bool
}

// Reset makes b the body that follows head in r. A head that says nothing of a
// body has none.
func (b *Body) Reset(r *bufio.Reader, head *Head) {
	*b = Body{r: r, chunked: head.Chunked}
	if !head.Chunked && head.ContentLength > 0 {
		b.left = head.ContentLength
	}
}

// Read returns io.EOF at the end of the body, and io.ErrUnexpectedEOF when the
// connection ends before.
func (b *Body) Read(p []byte) (int, error) {
	if b.left == 0 && b.chunked {
		if err := b.nextChunk(); err != nil {
			return 0, unexpected(err)
		}
	}
	if b.left == 0 {
		return 0, io.EOF
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, unexpected(err)
}

// nextChunk reads the size of the next chunk. After the last one the body is
// no longer chunked, and has nothing left.
func (b *Body) nextChunk() error {
	if b.begun {
		line, err := readLine(b.r) // The end of the chunk before.
		if err != nil {
			return err
		}
		if len(line) > 0 {
			return errMalformed
		}
	}
	b.begun = true
	line, err := readLine(b.r)
	if err != nil {
		return err
	}
	size, _, _ := bytes.Cut(line, []byte(";"))
	left, err := strconv.ParseUint(string(bytes.TrimSpace(size)), 16, 31)
	if err != nil {
		return errMalformed
	}
	b.left = int(left)
	if left > 0 {
		return nil
	}
	b.chunked = false
	return b.trailers()
}

func (b *Body) trailers() error {
	for {
		line, err := readLine(b.r)
		if err != nil || len(line) == 0 {
			return err
		}
	}
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
