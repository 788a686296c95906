package socket

import (
	"net"
	"syscall"
	"time"
)

// Watch calls gone once when the other end of conn goes away, even in silence. An end
// that only stops sending counts as gone: TCP cannot tell the difference, and net/http
// does the same.
//
// The returned function ends the watch. It must be called before the server reads conn
// again, and may be called twice; gone is not called afterward. If a connection cannot be
// watched, Watch does nothing, and a failing write shows its end.
func Watch(conn net.Conn, gone func()) (stop func()) {
	raw, ok := conn.(syscall.Conn)
	if !ok || !canPeek {
		return func() {}
	}
	rc, err := raw.SyscallConn()
	if err != nil {
		return func() {}
	}
	// The server's read deadline would end the watch early.
	_ = conn.SetReadDeadline(time.Time{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		closed := false
		_ = rc.Read(func(fd uintptr) bool {
			_, closed = peek(fd)
			return closed
		})
		if closed {
			gone()
		}
	}()
	return func() {
		_ = conn.SetReadDeadline(time.Unix(1, 0)) // long past: wakes the watch
		<-ended
		_ = conn.SetReadDeadline(time.Time{})
	}
}

// IsQuiet reports whether a connection is open at both ends and has nothing to read. It
// reads nothing and does not wait. Where it cannot look it says false.
func IsQuiet(conn net.Conn) bool {
	raw, ok := conn.(syscall.Conn)
	if !ok || !canPeek {
		return false
	}
	rc, err := raw.SyscallConn()
	if err != nil {
		return false
	}
	quiet := false
	err = rc.Control(func(fd uintptr) {
		readable, closed := peek(fd)
		quiet = !readable && !closed
	})
	return err == nil && quiet
}
