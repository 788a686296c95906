package bodies

import (
	"bytes"
	"strconv"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// chunked is the length of a body in chunks.
const chunked = -1

// What a header section may be parsed into: the server makes up to 80 bytes of each of
// these, and a section of 8 KiB could have thousands.
const (
	maxHeaders = 100
	maxCookies = 200
	maxQueries = 100
)

// errHeaders refuses a header section with more of them.
var errHeaders = fiber.NewError(fiber.StatusRequestHeaderFieldsTooLarge, "The request has too many headers, cookies or parameters. Send fewer.")

// maxDigits keeps every written length below 2^63.
const maxDigits = 18

// framing says where a request ends.
type framing struct {
	// length of the body in bytes, or chunked.
	length int64
	// expects says that the client waits for 100 Continue.
	expects bool
}

// errFraming refuses a request about whose end two servers could disagree, so that one
// treats as a second request what the other treats as a body: RFC 9112, sections 5, 6
// and 11.2.
var errFraming = fiber.NewError(fiber.StatusBadRequest, "The request's headers do not say clearly where it ends. Send one Content-Length, or Transfer-Encoding: chunked, but not both.")

// framingOf reads the headers as they were sent. The parser has already refused a
// missing or duplicate Host, and names with invalid characters.
func framingOf(h *fasthttp.RequestHeader) (framing, error) {
	if !h.IsHTTP11() && string(h.Protocol()) != "HTTP/1.0" {
		return framing{}, errFraming
	}
	if more(h.RequestURI(), '&', maxQueries) {
		return framing{}, errHeaders
	}
	lines := headerLines{modern: h.IsHTTP11()}
	for rest := h.RawHeaders(); len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest) - 1
		}
		if !lines.accepts(rest[:end]) {
			return framing{}, errFraming
		}
		if lines.count++; lines.count > maxHeaders || lines.cookies > maxCookies {
			return framing{}, errHeaders
		}
		rest = rest[end+1:]
	}
	if lines.coded && lines.measured {
		return framing{}, errFraming
	}
	return lines.framing, nil
}

// headerLines collects what the lines of a header section say about the body.
type headerLines struct {
	framing
	// count is how many lines there are, and cookies how many cookies.
	count, cookies int
	// modern says that the request uses HTTP/1.1; coded and measured, that
	// Transfer-Encoding and Content-Length have appeared.
	modern, coded, measured bool
}

// accepts reports whether a line is valid at its position.
func (h *headerLines) accepts(line []byte) bool {
	if len(line) == 0 {
		return true
	}
	if line[0] == ' ' || line[0] == '\t' { // continues another line (obs-fold)
		return false
	}
	if end := bytes.IndexByte(line, ':'); end >= 0 && bytes.IndexByte(line[:end], ' ') >= 0 {
		return false
	}
	switch line[0] | 0x20 {
	case 'c':
		if value, is := valueOf(line, "content-length"); is {
			length, ok := parseLength(value)
			if h.measured || !ok {
				return false
			}
			h.length, h.measured = length, true
		}
		if value, is := valueOf(line, "cookie"); is {
			h.cookies += 1 + bytes.Count(value, []byte(";"))
		}
	case 't':
		if value, is := valueOf(line, "transfer-encoding"); is {
			if h.coded || !h.modern || !bytes.EqualFold(value, []byte("chunked")) {
				return false
			}
			h.length, h.coded = chunked, true
		}
	case 'e':
		if value, is := valueOf(line, "expect"); is {
			h.expects = h.modern && bytes.EqualFold(value, []byte("100-continue")) // RFC 9110, section 10.1.1
		}
	}
	return true
}

// valueOf returns the value of a line if it is the header with a name in lower case.
func valueOf(line []byte, name string) (value []byte, is bool) {
	if len(line) <= len(name) || line[len(name)] != ':' || !bytes.EqualFold(line[:len(name)], []byte(name)) {
		return nil, false
	}
	return bytes.Trim(line[len(name)+1:], " \t\r"), true
}

// parseLength parses digits and nothing else.
func parseLength(value []byte) (int64, bool) {
	if len(value) == 0 || len(value) > maxDigits {
		return 0, false
	}
	for _, c := range value {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	length, err := strconv.ParseInt(string(value), 10, 64)
	return length, err == nil
}

// HeadOnly is called with the header section of a request before the handler. It keeps
// the server from reading the body, which this package does once a handler wants it.
// [Bodies.Middleware] reads the length from the headers as they were sent.
func HeadOnly(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	if h.ContentLength() != 0 {
		h.SetContentLength(0)
	}
	if len(h.Peek(fiber.HeaderExpect)) > 0 {
		h.Del(fiber.HeaderExpect)
	}
	return fasthttp.RequestConfig{}
}
