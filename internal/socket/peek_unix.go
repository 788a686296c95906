//go:build unix

package socket

import (
	"errors"
	"syscall"
)

// peek looks at a socket without taking anything from it. It reports whether
// there is something to read, and whether that is the end.
func peek(fd uintptr) (readable, closed bool) {
	var b [1]byte
	n, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR) {
		return false, false
	}
	// A byte is the next request of a client who is still there.
	return true, n <= 0
}
