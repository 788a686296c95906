//go:build unix

package socket

import (
	"errors"
	"syscall"
)

// canPeek says whether peek works here.
const canPeek = true

// peek inspects a socket without reading from it. It reports whether there are bytes to
// read, and whether the other end has closed.
func peek(fd uintptr) (readable, closed bool) {
	var b [1]byte
	n, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	for errors.Is(err, syscall.EINTR) {
		n, _, err = syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	}
	switch {
	case errors.Is(err, syscall.EAGAIN):
		return false, false
	case n <= 0:
		return true, true
	}
	// The bytes of a next request hide the end after them.
	return true, closedBehind(fd)
}
