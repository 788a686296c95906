package socket

import (
	"errors"
	"net"
	"slices"
	"testing"
	"time"
)

// patience limits every wait.
const patience = 20 * time.Second

// pair returns the two ends of a connection, the server's from a lingering listener.
func pair(t *testing.T) (server net.Conn, client *net.TCPConn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dialed, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err = Listen(l, Limits{}).Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Close()
		dialed.Close()
	})
	return server, dialed.(*net.TCPConn)
}

// must fails the test on any error except the given ones.
func must(t *testing.T, err error, but ...error) {
	t.Helper()
	if slices.ContainsFunc(but, func(one error) bool { return errors.Is(err, one) }) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
}

// comes waits for a signal.
func comes(t *testing.T, what string, signal <-chan struct{}) {
	t.Helper()
	select {
	case <-signal:
	case <-time.After(patience):
		t.Fatalf("timed out waiting until %s", what)
	}
}
