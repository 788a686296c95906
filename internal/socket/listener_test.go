package socket

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// crowd is a listener with limits, and its clients.
type crowd struct {
	*testing.T
	*Listener
}

func newCrowd(t *testing.T, limits Limits) crowd {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	listener := Listen(l, limits)
	t.Cleanup(func() { listener.Close() })
	return crowd{t, listener}
}

// joins opens a connection and returns both ends.
func (c crowd) joins() (*Conn, *net.TCPConn) {
	c.Helper()
	client, err := net.Dial("tcp", c.Addr().String())
	must(c.T, err)
	server, err := c.Accept()
	must(c.T, err)
	c.Cleanup(func() { client.Close(); server.Close() })
	return server.(*Conn), client.(*net.TCPConn)
}

// asks sends a request, whose header section the server reads.
func (c crowd) asks(server *Conn, client *net.TCPConn) {
	c.Helper()
	_, err := io.WriteString(client, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	must(c.T, err)
	for server.reading != inBody {
		_, err := server.Read(make([]byte, 1024))
		must(c.T, err)
	}
}

// answered ends a request, and waits for the next one.
func (c crowd) answered(server *Conn) {
	server.EndRequest(nil)
	must(c.T, server.next())
}

// isOpen checks whether a connection is open or closed, as wanted.
func (c crowd) isOpen(client *net.TCPConn, want bool) {
	c.Helper()
	wait := patience
	if want {
		wait = time.Millisecond
	}
	must(c.T, client.SetReadDeadline(time.Now().Add(wait)))
	_, err := client.Read(make([]byte, 1))
	var timeout net.Error
	if open := errors.As(err, &timeout) && timeout.Timeout(); open != want {
		c.Errorf("open: %t, want %t (%v)", open, want, err)
	}
}

func TestLimits(t *testing.T) {
	for name, limits := range map[string]Limits{
		"of one client": {PerClient: 3}, "of all": {Connections: 3},
	} {
		t.Run("the longest silent connection "+name+" is closed for another, never one with a request in progress", func(t *testing.T) {
			c := newCrowd(t, limits)
			busy, busyClient := c.joins()
			c.asks(busy, busyClient)
			first, firstClient := c.joins()
			_, second := c.joins()
			c.asks(first, firstClient)
			c.answered(first) // now the second one has been silent longest
			last, _ := c.joins()
			if last.Refusal() != Admitted {
				t.Error("the last was refused")
			}
			c.isOpen(second, false)
			c.isOpen(busyClient, true)
			c.isOpen(firstClient, true)
		})
	}
	t.Run("a connection whose request has arrived is not silent, even if nobody has read it yet", func(t *testing.T) {
		c := newCrowd(t, Limits{Connections: 2})
		server, asking := c.joins()
		_, err := io.WriteString(asking, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		must(t, err)
		for !server.hasArrived() {
			runtime.Gosched()
		}
		_, quiet := c.joins()
		c.joins()
		c.isOpen(asking, true)
		c.isOpen(quiet, false)
	})
	t.Run("if requests have arrived on all of them, one is closed", func(t *testing.T) {
		c := newCrowd(t, Limits{Connections: 1})
		server, asking := c.joins()
		_, err := io.WriteString(asking, "G")
		must(t, err)
		for !server.hasArrived() {
			runtime.Gosched()
		}
		if newest, _ := c.joins(); newest.Refusal() != Admitted {
			t.Errorf("it is refused: %v", newest.Refusal())
		}
	})
	t.Run("a connection with a slow header section counts as silent", func(t *testing.T) {
		c := newCrowd(t, Limits{PerClient: 1})
		slow, client := c.joins()
		_, err := io.WriteString(client, "GET / HTTP/1.1\r\nHost: ")
		must(t, err)
		_, err = slow.Read(make([]byte, 1024))
		must(t, err)
		c.joins()
		c.isOpen(client, false)
	})
	for name, row := range map[string]struct {
		limits Limits
		want   Refusal
	}{"of one client": {Limits{PerClient: 2}, TooManyOfClient}, "of all": {Limits{Connections: 2}, TooMany}} {
		t.Run("when all "+name+" are busy, the next one gets a response that says so, and later ones are closed", func(t *testing.T) {
			c := newCrowd(t, row.limits)
			for range 2 {
				c.asks(c.joins())
			}
			var told []*Conn
			for range surplus {
				conn, _ := c.joins()
				if conn.Refusal() != row.want {
					t.Fatalf("refused for %d", conn.Refusal())
				}
				told = append(told, conn)
			}
			accepted := make(chan net.Conn)
			go func() {
				conn, err := c.Accept()
				if err != nil {
					t.Error(err)
				}
				accepted <- conn
			}()
			untold, err := net.Dial("tcp", c.Addr().String())
			must(t, err)
			defer untold.Close()
			c.isOpen(untold.(*net.TCPConn), false)
			must(t, told[0].Close())
			must(t, told[0].TCPConn.Close(), net.ErrClosed) // closing twice counts once
			client, err := net.Dial("tcp", c.Addr().String())
			must(t, err)
			defer client.Close()
			if conn := (<-accepted).(*Conn); conn.Refusal() != row.want {
				t.Errorf("after one has left, the next is refused for %d", conn.Refusal())
			}
		})
	}
	t.Run("a trusted proxy has as many connections as there may be", func(t *testing.T) {
		c := newCrowd(t, Limits{PerClient: 1, Proxy: func(a netip.Addr) bool { return a == netip.MustParseAddr("127.0.0.1") }})
		_, first := c.joins()
		c.joins()
		c.isOpen(first, true)
	})
	t.Run("closed connections free their places", func(t *testing.T) {
		c := newCrowd(t, Limits{PerClient: 2, Connections: 2})
		for range 10 {
			server, client := c.joins()
			c.asks(server, client)
			must(t, client.Close())
			must(t, server.Close())
		}
		if c.all.Len() != 0 || len(c.clients) != 0 || c.refused != 0 {
			t.Errorf("%d connections of %d clients are counted, and %d refused", c.all.Len(), len(c.clients), c.refused)
		}
	})
}

func TestClosedWhileFallingSilent(t *testing.T) {
	for whose, proxy := range map[string]bool{"a client's": false, "a proxy's": true} {
		t.Run(whose+" connection that gives way at the end of a request is closed, and no list has it", func(t *testing.T) {
			c := newCrowd(t, Limits{PerClient: 1, Proxy: func(netip.Addr) bool { return proxy }})
			server, client := c.joins()
			c.asks(server, client)
			c.mu.Lock() // the listener admits another
			silenced := make(chan struct{})
			go func() {
				defer close(silenced)
				c.silence(server)
			}()
			for server.state.Load() != silent {
				runtime.Gosched()
			}
			if !c.closeLongestSilent(&c.all) {
				t.Error("the silent connection does not give way")
			}
			c.mu.Unlock()
			comes(t, "the end of a request", silenced)
			c.isOpen(client, false)
			if len(c.clients) != 0 || c.all.Len() != 0 {
				t.Errorf("the listener still lists %d connections of %d clients", c.all.Len(), len(c.clients))
			}
		})
	}
}

// failing is a listener that fails several times before it accepts.
type failing struct {
	net.Listener
	errs chan error
}

func (f failing) Accept() (net.Conn, error) {
	select {
	case err := <-f.errs:
		return nil, &net.OpError{Op: "accept", Err: err}
	default:
		return f.Listener.Accept()
	}
}

func TestAcceptGoesOn(t *testing.T) {
	c := newCrowd(t, Limits{})
	errs := make(chan error, 10)
	c.Listener.Listener = failing{c.Listener.Listener, errs}
	_, silentClient := c.joins()
	for _, err := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ECONNABORTED, syscall.ENOBUFS} {
		errs <- err
	}
	t.Run("no failed accept stops the server, and the longest silent connection is closed for another", func(t *testing.T) {
		crowd{t, c.Listener}.joins()
		crowd{t, c.Listener}.isOpen(silentClient, false)
	})
	t.Run("closing stops it even while it waits to retry", func(t *testing.T) {
		must(t, c.Close())
		errs <- syscall.EMFILE
		if _, err := c.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("it ended with %v", err)
		}
	})
}
