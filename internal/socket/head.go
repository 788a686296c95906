package socket

import (
	"bytes"
	"errors"
)

// ErrBareLF is a line of a header section that does not end in CR LF. Servers that accept
// one disagree with proxies about where a request ends (RFC 9112 section 2.2).
var ErrBareLF = errors.New("socket: a line of the header section ends without CR")

// head finds the end of a header section that arrives in pieces. Its zero value is before
// the first byte.
type head struct {
	// line is the length of the line so far, and last its last byte.
	line int
	last byte
	// begun says that a non-empty line has started. Empty lines before the request
	// line are ignored (RFC 9112 section 2.2).
	begun bool
}

// take returns how many bytes of p belong to the header section, and whether
// they end it.
func (h *head) take(p []byte) (n int, done bool, err error) {
	for n < len(p) {
		i := bytes.IndexByte(p[n:], '\n')
		if i < 0 {
			h.line += len(p) - n
			h.last = p[len(p)-1]
			return len(p), false, nil
		}
		if i > 0 {
			h.last = p[n+i-1]
		}
		if h.last != '\r' {
			return n, false, ErrBareLF
		}
		empty := h.line+i == 1
		h.line, h.last = 0, 0
		n += i + 1
		if empty && h.begun {
			return n, true, nil
		}
		h.begun = h.begun || !empty
	}
	return n, false, nil
}
