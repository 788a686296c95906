//go:build unix

package socket

import (
	"net"
	"runtime"
	"testing"
	"time"
)

// watched starts a watch and returns a channel that is closed when the other
// end has gone.
func watched(t *testing.T, server net.Conn) (gone chan struct{}, stop func()) {
	t.Helper()
	gone = make(chan struct{})
	stop = Watch(server, func() { close(gone) }) // a second call would panic
	return gone, stop
}

func notYet(t *testing.T, gone <-chan struct{}) {
	t.Helper()
	select {
	case <-gone:
		t.Fatal("the watch says that the client has gone")
	default:
	}
}

func TestWatch(t *testing.T) {
	leaving := []struct {
		name  string
		leave func(*net.TCPConn) error
	}{
		{"a client that closes (FIN) has gone", (*net.TCPConn).Close},
		{"a client that resets (RST) has gone", func(c *net.TCPConn) error {
			if err := c.SetLinger(0); err != nil {
				return err
			}
			return c.Close()
		}},
		{"a client that stops sending has gone, as in net/http", (*net.TCPConn).CloseWrite},
	}
	for _, how := range leaving {
		t.Run(how.name, func(t *testing.T) {
			server, client := pair(t)
			gone, stop := watched(t, server)
			notYet(t, gone)
			must(t, how.leave(client))
			comes(t, "the watch noticed", gone)
			stop()
		})
		if runtime.GOOS != "linux" { // elsewhere a failing write shows it
			continue
		}
		t.Run(how.name+", even after an unread request", func(t *testing.T) {
			server, client := pair(t)
			gone, stop := watched(t, server)
			_, err := client.Write([]byte("GET /next HTTP/1.1\r\n"))
			must(t, err)
			notYet(t, gone)
			must(t, how.leave(client))
			comes(t, "the watch noticed", gone)
			stop()
		})
	}

	t.Run("an expired read deadline of the server does not end the watch", func(t *testing.T) {
		server, client := pair(t)
		must(t, server.SetReadDeadline(time.Now().Add(-time.Second)))
		gone, stop := watched(t, server)
		defer stop()
		must(t, client.Close())
		comes(t, "the watch noticed", gone)
	})

	t.Run("a stopped watch leaves unread bytes, and no deadline", func(t *testing.T) {
		server, client := pair(t)
		gone, stop := watched(t, server)
		stop()
		stop() // twice is safe
		_, err := client.Write([]byte("next"))
		must(t, err)
		var b [4]byte
		if n, err := server.Read(b[:]); err != nil || string(b[:n]) != "next" {
			t.Fatalf("read %q, %v", b[:n], err)
		}
		notYet(t, gone)
	})

	t.Run("a watch can be stopped while a request waits, which is then read completely", func(t *testing.T) {
		server, client := pair(t)
		_, err := client.Write([]byte("next"))
		must(t, err)
		gone, stop := watched(t, server)
		stop()
		notYet(t, gone)
		var b [8]byte
		if n, err := server.Read(b[:]); err != nil || string(b[:n]) != "next" {
			t.Fatalf("read %q, %v", b[:n], err)
		}
	})

	t.Run("one connection can be watched repeatedly", func(t *testing.T) {
		server, client := pair(t)
		for range 200 {
			gone, stop := watched(t, server)
			stop()
			notYet(t, gone)
		}
		gone, stop := watched(t, server)
		defer stop()
		must(t, client.Close())
		comes(t, "the last watch noticed", gone)
	})

	t.Run("a closed connection does not hang the watch", func(t *testing.T) {
		server, _ := pair(t)
		must(t, server.Close())
		stop := Watch(server, func() {})
		stop()
	})

	t.Run("anything but a socket is not watched", func(t *testing.T) {
		here, there := net.Pipe()
		must(t, there.Close())
		gone, stop := watched(t, here)
		stop()
		notYet(t, gone)
	})
}
