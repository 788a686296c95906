package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/core/chat"
)

// line is a connection on which a test writes requests and reads answers by
// itself.
type line struct {
	*testing.T
	*net.TCPConn
	in *bufio.Reader
}

// dial opens a connection to the server.
func (w *instance) dial() *line {
	w.Helper()
	return w.dialWith(&net.Dialer{})
}

// dialNarrow opens a connection that takes little that is not read.
func (w *instance) dialNarrow() *line {
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

func (w *instance) dialWith(dialer *net.Dialer) *line {
	w.Helper()
	conn, err := dialer.DialContext(w.Context(), "tcp", strings.TrimPrefix(w.base, "http://"))
	w.must(err)
	w.must(conn.SetDeadline(time.Now().Add(4 * patience)))
	w.Cleanup(func() { conn.Close() })
	return &line{w.T, conn.(*net.TCPConn), bufio.NewReader(conn)}
}

// request is one request as it is written on a connection.
func request(method, path, token, body string) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: parley\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", method, path, token, len(body), body)
}

func (l *line) write(text string) {
	l.Helper()
	if _, err := io.WriteString(l, text); err != nil {
		l.Fatal(err)
	}
}

// answer reads the head of the next answer.
func (l *line) answer() *http.Response {
	l.Helper()
	response, err := http.ReadResponse(l.in, nil)
	if err != nil {
		l.Fatalf("no answer: %v", err)
	}
	return response
}

// events reads the head of the next answer, which must be a stream.
func (l *line) events() *events {
	l.Helper()
	response := l.answer()
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
		body, _ := io.ReadAll(response.Body)
		l.Fatalf("no stream: %s %s", response.Status, body)
	}
	return &events{t: l.T, lines: bufio.NewScanner(response.Body), closing: response.Body}
}

// until reads events up to the first of a type, and returns that.
func (e *events) until(kind string) event {
	e.t.Helper()
	for {
		next, ok := e.next()
		if !ok || next.done {
			e.t.Fatalf("the stream ended before %s", kind)
		}
		if next.Type == kind {
			return next
		}
	}
}

// leaving are the ways in which a client goes away.
var leaving = []struct {
	name  string
	leave func(*line) error
}{
	{"closes its connection", func(l *line) error { return l.Close() }},
	{"resets its connection", func(l *line) error {
		if err := l.SetLinger(0); err != nil {
			return err
		}
		return l.Close()
	}},
}

// comes waits for a signal.
func (w *instance) comes(what string, signal <-chan struct{}) {
	w.Helper()
	select {
	case <-signal:
	case <-time.After(patience):
		w.Fatalf("it did not come about that %s", what)
	}
}

// answered waits until the conversation's last message is an answer, and
// returns it.
func (w *instance) answered(tn tenantOf, conversation int64) chat.Message {
	w.Helper()
	var last chat.Message
	w.eventually("the answer is stored", func() bool {
		all, err := w.server.Chat.LastMessages(w.Context(), tn.workspace, w.sequence(conversation), 0, 10_000)
		w.must(err)
		if len(all) > 0 {
			last = all[len(all)-1]
		}
		return last.Role == chat.Assistant
	})
	return last
}

// noneGenerating fails the test when an answer is still being generated.
func (w *instance) noneGenerating() {
	w.Helper()
	count := func(text string) int { return len(text) }
	n, err := w.server.Turns.Leases.InterruptLapsed(context.WithoutCancel(w.Context()), now().Add(time.Hour), now(), count)
	w.must(err)
	if n != 0 {
		w.Errorf("%d answers are still being generated", n)
	}
}
