package upstream

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestIdle(t *testing.T) {
	t.Run("a connection that nobody uses is closed after a while, and not sooner", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			client := clientOf(t, "model.test", nil)
			gone := make(chan time.Time, 1)
			transportOf(client).DialContext = func(context.Context, string, string) (net.Conn, error) {
				here, there := net.Pipe()
				go func() {
					r := bufio.NewReader(there)
					request, err := http.ReadRequest(r)
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, request.Body)
					_, _ = io.WriteString(there, yes)
					_, _ = r.ReadByte()
					gone <- time.Now()
				}()
				return here, nil
			}
			if body, err := ask(t, client); err != nil || body != "yes" {
				t.Fatalf("got %q and %v", body, err)
			}
			began := time.Now()
			if lasted := (<-gone).Sub(began); lasted < time.Minute || lasted > 2*time.Minute {
				t.Errorf("it was kept for %v", lasted)
			}
		})
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
	s, client := serve(t, says(yes), says(yes), says(yes), saysAndCloses(""))
	var broken atomic.Bool
	dials := 0
	dial := transportOf(client).DialContext
	breaking := func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		dials++
		return failing{conn.(*net.TCPConn), &broken}, nil
	}
	transportOf(client).DialContext = breaking
	if body, err := ask(t, client); err != nil || body != "yes" {
		t.Fatalf("got %q and %v", body, err)
	}
	broken.Store(true)
	t.Run("a request of which nothing went over a kept connection goes over a new one, whole", func(t *testing.T) {
		transportOf(client).DialContext = dial
		if body, err := ask(t, client); err != nil || body != "yes" || s.dials.Load() != 2 {
			t.Errorf("got %q and %v after %d connections", body, err, s.dials.Load())
		}
	})
	t.Run("a request that a server has read is not sent again", func(t *testing.T) {
		if body, err := ask(t, client); err != nil || body != "yes" {
			t.Errorf("got %q and %v", body, err)
		}
		if _, err := ask(t, client); err == nil || s.dials.Load() != 2 {
			t.Errorf("err = %v after %d connections", err, s.dials.Load())
		}
	})
	t.Run("on a new connection it is not sent again", func(t *testing.T) {
		transportOf(client).DialContext, dials = breaking, 0
		client.http.CloseIdleConnections()
		if _, err := ask(t, client); !errors.Is(err, errBroken) || dials != 1 {
			t.Errorf("err = %v after %d dials", err, dials)
		}
	})
}
