package http1

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// pipe returns a connection that has carried a request, and its other end.
func pipe() (*conn, net.Conn) {
	here, there := net.Pipe()
	return &conn{Conn: here, address: "model.test:80", reader: bufio.NewReaderSize(nil, readSize)}, there
}

func isClosed(other net.Conn) bool {
	_ = other.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := other.Read(make([]byte, 1))
	return errors.Is(err, io.EOF)
}

func TestIdle(t *testing.T) {
	t.Run("a connection that nobody uses is closed after a while, and not sooner", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var kept idle
			early, earlyEnd := pipe()
			kept.put(early)
			time.Sleep(idleTime / 2)
			late, lateEnd := pipe()
			kept.put(late)
			time.Sleep(idleTime/2 + time.Second)
			if !isClosed(earlyEnd) || isClosed(lateEnd) {
				t.Errorf("closed are %v and %v", isClosed(earlyEnd), isClosed(lateEnd))
			}
			time.Sleep(idleTime)
			synctest.Wait()
			kept.mu.Lock()
			defer kept.mu.Unlock()
			if !isClosed(lateEnd) || len(kept.conns) != 0 || kept.timer != nil {
				t.Errorf("%d addresses are kept", len(kept.conns))
			}
		})
	})
	t.Run("no more connections are kept than the limit", func(t *testing.T) {
		var kept idle
		for range maxIdle {
			c, _ := pipe()
			kept.put(c)
		}
		surplus, end := pipe()
		kept.put(surplus)
		if !isClosed(end) || len(kept.conns["model.test:80"]) != maxIdle {
			t.Errorf("%d are kept", len(kept.conns["model.test:80"]))
		}
		kept.closeAll()
		if kept.last("model.test:80") != nil || kept.timer != nil {
			t.Error("some are left")
		}
	})
	t.Run("a connection that cannot be looked at is not used again", func(t *testing.T) {
		var kept idle
		c, end := pipe()
		kept.put(c)
		if kept.take("model.test:80") != nil || !isClosed(end) {
			t.Error("it is used")
		}
	})
}

// failing is a connection on which nothing more can be written.
type failing struct {
	*net.TCPConn
	broken *atomic.Bool
}

var errBroken = errors.New("broken")

func (f failing) Write(p []byte) (int, error) {
	if f.broken.Load() {
		return 0, errBroken
	}
	return f.TCPConn.Write(p)
}

func TestSendingAgain(t *testing.T) {
	s, transport := serve(t, says(yes), says(yes))
	var broken atomic.Bool
	dial := transport.Dial
	transport.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		old := s.dials.Load() > 0
		if old {
			return conn, nil
		}
		return failing{conn.(*net.TCPConn), &broken}, nil
	}
	if body, err := s.ask(t, transport); err != nil || body != "yes" {
		t.Fatalf("got %q and %v", body, err)
	}
	broken.Store(true)
	t.Run("a request of which nothing went over a kept connection goes over a new one, whole", func(t *testing.T) {
		if body, err := s.ask(t, transport); err != nil || body != "yes" {
			t.Errorf("got %q and %v", body, err)
		}
	})
	t.Run("a request whose body cannot be read again fails", func(t *testing.T) {
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://model.test", strings.NewReader("a"))
		request.GetBody = nil
		if _, err := anew(request, errBroken); !errors.Is(err, errBroken) {
			t.Errorf("err = %v", err)
		}
	})
	t.Run("on a new connection it is not sent again", func(t *testing.T) {
		dials := 0
		transport.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			dials++
			conn, err := dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return failing{conn.(*net.TCPConn), &broken}, nil
		}
		transport.CloseIdleConnections()
		if _, err := s.ask(t, transport); !errors.Is(err, errBroken) || dials != 1 {
			t.Errorf("err = %v after %d dials", err, dials)
		}
	})
}
