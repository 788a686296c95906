package fetch

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"

	"parley/core/fault"
)

// maxBelieved is how much memory read allocates for an announced length.
const maxBelieved = 1 << 20

// read reads a body to its end. It counts the bytes as they arrive and again
// as they are decompressed, so that neither an endless page nor a decompression
// bomb fills the memory.
func (t *trip) read(response *http.Response) ([]byte, error) {
	if response.ContentLength > t.limit && !t.cut {
		return nil, ErrTooLarge
	}
	var reader io.Reader = &bounded{reader: response.Body, left: t.limit}
	switch coding := contentCoding(response.Header); coding {
	case "", "identity":
	case "gzip", "x-gzip": // RFC 9110, section 8.4.1.3
		unpacked, err := gzip.NewReader(reader)
		if err != nil {
			return nil, err
		}
		reader = &bounded{reader: unpacked, left: t.limit}
	default:
		return nil, otherCoding()
	}
	var body bytes.Buffer
	body.Grow(int(min(max(response.ContentLength, 0), maxBelieved)) + bytes.MinRead)
	_, err := body.ReadFrom(reader)
	if errors.Is(err, ErrTooLarge) && t.cut {
		err = nil
	}
	return body.Bytes(), err
}

func otherCoding() error {
	return fault.New(fault.Invalid, "The server sent the page in a compression format that Parley cannot read.")
}

// contentCoding joins all codings into one text, so that "gzip, gzip" is unknown
// however many header lines it spans.
func contentCoding(header http.Header) string {
	return strings.ToLower(strings.TrimSpace(strings.Join(header.Values("Content-Encoding"), ",")))
}

// bounded fails if there is more to read than its limit.
type bounded struct {
	reader io.Reader
	left   int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.reader.Read(p[:min(int64(len(p)), b.left+1)])
	b.left -= int64(n)
	if b.left < 0 {
		b.left = 0
		return n - 1, ErrTooLarge
	}
	return n, err
}
