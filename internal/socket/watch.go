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
// again, and may be called twice; gone is not called afterward. A connection has one
// watch at a time. If a connection cannot be watched, Watch does nothing, and a failing
// write shows its end.
func Watch(conn net.Conn, gone func()) (stop func()) {
	raw, ok := conn.(syscall.Conn)
	if !ok || !canPeek {
		return func() {}
	}
	rc, err := raw.SyscallConn()
	if err != nil {
		return func() {}
	}
	// The server's read deadline is for reading, and there is none meanwhile.
	_ = conn.SetReadDeadline(time.Time{})
	return watch(conn, rc, gone)
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
