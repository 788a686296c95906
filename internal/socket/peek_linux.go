package socket

import (
	"encoding/binary"
	"syscall"
)

// established is TCP_ESTABLISHED of linux/tcp_states.h: neither end has closed.
const established = 1

// closedBehind reports whether the other end has closed a socket that still has unread
// bytes. The first byte of struct tcp_info is the state.
func closedBehind(fd uintptr) bool {
	info, err := syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_INFO)
	if err != nil {
		return false
	}
	var first [4]byte
	binary.NativeEndian.PutUint32(first[:], uint32(info))
	return first[0] != established
}
