package harness

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Line is a connection on which a test writes requests and reads answers by
// itself.
type Line struct {
	*testing.T
	*net.TCPConn
	In *bufio.Reader
}

// Dial opens a connection to the server.
func (w *Instance) Dial() *Line {
	w.Helper()
	return w.dialWith(&net.Dialer{})
}

// DialNarrow opens a connection that takes little that is not read.
func (w *Instance) DialNarrow() *Line {
	w.Helper()
	return w.dialWith(&net.Dialer{Control: func(_, _ string, raw syscall.RawConn) (err error) {
		ctl := raw.Control(func(fd uintptr) {
			err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4<<10)
		})
		if ctl != nil {
			return ctl
		}
		return err
	}})
}

func (w *Instance) dialWith(dialer *net.Dialer) *Line {
	w.Helper()
	conn, err := dialer.DialContext(w.Context(), "tcp", strings.TrimPrefix(w.Base, "http://"))
	w.Must(err)
	w.Must(conn.SetDeadline(time.Now().Add(4 * Patience)))
	w.Cleanup(func() { conn.Close() })
	return &Line{w.T, conn.(*net.TCPConn), bufio.NewReader(conn)}
}

// Request is one request as it is written on a connection.
func Request(method, path, token, body string) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: parley\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", method, path, token, len(body), body)
}

// Send writes text.
func (l *Line) Send(text string) {
	l.Helper()
	if _, err := io.WriteString(l.TCPConn, text); err != nil {
		l.Fatal(err)
	}
}

// Answer reads the head of the next answer.
func (l *Line) Answer() *http.Response {
	l.Helper()
	response, err := http.ReadResponse(l.In, nil)
	if err != nil {
		l.Fatalf("no answer: %v", err)
	}
	return response
}

// Events reads the head of the next answer, which must be a stream.
func (l *Line) Events() *Events {
	l.Helper()
	response := l.Answer()
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
		body, _ := io.ReadAll(response.Body)
		l.Fatalf("no stream: %s %s", response.Status, body)
	}
	return &Events{t: l.T, lines: bufio.NewScanner(response.Body), closing: response.Body}
}

// Until reads events up to the first of a type, and returns that.
func (e *Events) Until(kind string) Event {
	e.t.Helper()
	for {
		next, ok := e.next()
		if !ok || next.Done {
			e.t.Fatalf("the stream ended before %s", kind)
		}
		if next.Type == kind {
			return next
		}
	}
}

// Comes waits for a signal.
func (w *Instance) Comes(what string, signal <-chan struct{}) {
	w.Helper()
	select {
	case <-signal:
	case <-time.After(Patience):
		w.Fatalf("it did not come about that %s", what)
	}
}

// HasEnded fails the test unless the server has closed the connection with
// nothing more to read.
func (l *Line) HasEnded() {
	l.Helper()
	if rest, err := io.ReadAll(l.In); err != nil || len(rest) > 0 {
		l.Errorf("there is more: %q, %v", rest, err)
	}
}

// HasNothing fails the test if an answer has come that nobody asked for.
func (l *Line) HasNothing() {
	l.Helper()
	_ = l.SetReadDeadline(time.Now().Add(time.Millisecond))
	if rest, _ := io.ReadAll(l.In); len(rest) > 0 {
		l.Errorf("there is more: %q", rest)
	}
}

// Unchunked fails the test unless an answer is one that HTTP/1.0 knows, and closes.
func (l *Line) Unchunked(r *http.Response) {
	l.Helper()
	if len(r.TransferEncoding) > 0 || r.Header.Get("Transfer-Encoding") != "" || !r.Close || r.Header.Get("X-Request-Id") == "" {
		l.Errorf("the answer is %s with the headers %v, %v", r.Status, r.Header, r.TransferEncoding)
	}
}
