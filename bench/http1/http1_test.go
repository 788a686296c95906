package http1

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// message reads one message, a byte at a time.
func message(text string) (Head, string, error) {
	r := bufio.NewReaderSize(iotest.OneByteReader(strings.NewReader(text)), BufferSize)
	var head Head
	if err := head.Read(r); err != nil {
		return head, "", err
	}
	var body Body
	body.Reset(r, &head)
	content, err := io.ReadAll(&body)
	return head, string(content), err
}

func TestMessages(t *testing.T) {
	t.Run("a body with a length ends there", func(t *testing.T) {
		head, body, err := message("HTTP/1.1 200 OK\r\ncontent-LENGTH: 5\r\n\r\nhellomore")
		if err != nil || body != "hello" {
			t.Fatalf("got %q, %v", body, err)
		}
		if status, err := head.Status(); status != 200 || err != nil {
			t.Fatalf("got status %d, %v", status, err)
		}
	})
	t.Run("a chunked body is put together, without extensions and trailers", func(t *testing.T) {
		_, body, err := message("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
			"3;a=b\r\nhel\r\nB\r\nlo\r\n, world\r\n0\r\nX: y\r\n\r\nmore")
		if err != nil || body != "hello\r\n, world"[:14] {
			t.Fatalf("got %q, %v", body, err)
		}
	})
	t.Run("a head that says nothing of a body has none", func(t *testing.T) {
		head, body, err := message("GET /v1/models HTTP/1.1\r\nConnection: close\r\n\r\nmore")
		if err != nil || body != "" || !head.Close {
			t.Fatalf("got %q, close %v, %v", body, head.Close, err)
		}
	})
	t.Run("a connection that ends between messages is the end", func(t *testing.T) {
		if _, _, err := message(""); !errors.Is(err, io.EOF) {
			t.Fatalf("got %v", err)
		}
	})
}

func TestBrokenMessages(t *testing.T) {
	for name, text := range map[string]string{
		"a head without its end":        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n",
		"a first line without its end":  "HTTP/1.1",
		"a body shorter than it says":   "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
		"chunks without a last one":     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n",
		"a last chunk without its end":  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n0\r\n",
		"a chunk that is cut":           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhe",
		"a chunk longer than it says":   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhell\r\n0\r\n\r\n",
		"a chunk size that is no size":  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
		"a length that is negative":     "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
		"a header without a colon":      "HTTP/1.1 200 OK\r\nhello\r\n\r\n",
		"a line longer than the buffer": "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("a", BufferSize) + "\r\n\r\n",
	} {
		t.Run(name+" is an error, and never the end", func(t *testing.T) {
			if _, _, err := message(text); err == nil || errors.Is(err, io.EOF) {
				t.Fatalf("got %v", err)
			}
		})
	}
	t.Run("a first line without a status has none", func(t *testing.T) {
		for _, start := range []string{"", "HTTP/1.1", "HTTP/1.1 2", "SSH-2.0 200 OK", "HTTP/1.1 abc"} {
			if _, err := (&Head{Start: []byte(start)}).Status(); err == nil {
				t.Errorf("%q has a status", start)
			}
		}
	})
}
