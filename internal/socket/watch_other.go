//go:build !linux

package socket

import (
	"net"
	"syscall"
	"time"
)

// watch waits on a goroutine of its own, which a read deadline ends.
func watch(conn net.Conn, rc syscall.RawConn, gone func()) (stop func()) {
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
