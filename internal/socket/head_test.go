package socket

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestHead(t *testing.T) {
	const get = "GET / HTTP/1.1\r\nHost: parley\r\n\r\n"
	t.Run("a header section ends at the first empty line, however it arrives", func(t *testing.T) {
		sent := "\r\n" + get + "more\n"
		for size := 1; size <= len(sent); size++ {
			var h head
			taken, done := 0, false
			for rest := sent; !done && rest != ""; {
				piece := rest[:min(size, len(rest))]
				n, ended, err := h.take([]byte(piece))
				must(t, err)
				taken, done, rest = taken+n, ended, rest[len(piece):]
			}
			if !done || sent[:taken] != "\r\n"+get {
				t.Fatalf("in pieces of %d it is %q", size, sent[:taken])
			}
		}
	})
	for name, wrong := range map[string]string{
		"the request line":  "GET / HTTP/1.1\nHost: parley\r\n\r\n",
		"a header":          "GET / HTTP/1.1\r\nHost: parley\nA: b\r\n\r\n",
		"the empty line":    "GET / HTTP/1.1\r\nHost: parley\r\n\n",
		"a line before all": "\nGET / HTTP/1.1\r\nHost: parley\r\n\r\n",
	} {
		t.Run("a bare LF is not taken for the end of "+name, func(t *testing.T) {
			for size := 1; size <= len(wrong); size++ {
				var h head
				var err error
				for rest := wrong; err == nil && rest != ""; {
					piece := rest[:min(size, len(rest))]
					_, _, err = h.take([]byte(piece))
					rest = rest[len(piece):]
				}
				if !errors.Is(err, ErrBareLF) {
					t.Fatalf("in pieces of %d: %v", size, err)
				}
			}
		})
	}
}

func TestReading(t *testing.T) {
	const first, second = "POST / HTTP/1.1\r\nHost: a\r\n\r\n", "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n"
	read := func(t *testing.T, c *Conn) string {
		t.Helper()
		var all strings.Builder
		p := make([]byte, 1024)
		for c.reading != inBody {
			n, err := c.Read(p)
			must(t, err)
			all.Write(p[:n])
		}
		return all.String()
	}
	t.Run("the server reads neither a body nor the next request before this one has ended", func(t *testing.T) {
		server, client := pair(t)
		c := server.(*Conn)
		_, err := io.WriteString(client, first+"body"+second)
		must(t, err)
		if got := read(t, c); got != first {
			t.Fatalf("it read %q", got)
		}
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, ErrHeadPassed) {
			t.Fatalf("it kept reading: %v", err)
		}
		var body [4]byte
		for n := 0; n < len(body); {
			m, err := c.ReadBody(body[n:])
			must(t, err)
			n += m
		}
		if string(body[:]) != "body" {
			t.Fatalf("the body is %q", body)
		}
		c.EndRequest(nil)
		if got := read(t, c); got != second {
			t.Fatalf("the next request is %q", got)
		}
	})
	t.Run("bytes that were read too far come first", func(t *testing.T) {
		server, client := pair(t)
		c := server.(*Conn)
		_, err := io.WriteString(client, "cd")
		must(t, err)
		c.Unread([]byte("ab"))
		var got [4]byte
		_, err = io.ReadFull(readerFunc(c.ReadBody), got[:])
		must(t, err)
		if string(got[:]) != "abcd" {
			t.Fatalf("it is %q", got)
		}
	})
}

type readerFunc func([]byte) (int, error)

func (read readerFunc) Read(p []byte) (int, error) { return read(p) }
