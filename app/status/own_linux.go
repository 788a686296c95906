package status

import (
	"fmt"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// viaDescriptor is a short name of an open folder.
func viaDescriptor(folder *os.File) string {
	short := fmt.Sprintf("/proc/self/fd/%d", folder.Fd())
	if _, err := os.Stat(short); err != nil {
		return ""
	}
	return short
}

// private makes the socket its owner's alone before anybody can connect to it.
func private(_, _ string, c syscall.RawConn) error {
	var failure error
	err := c.Control(func(fd uintptr) { failure = unix.Fchmod(int(fd), 0o600) })
	if err == nil {
		err = failure
	}
	return err
}

// checkPeer fails unless the process at the other end is this user's or root's.
func checkPeer(connection net.Conn) error {
	raw, err := connection.(*net.UnixConn).SyscallConn()
	if err != nil {
		return err
	}
	var peer *unix.Ucred
	var failure error
	if err := raw.Control(func(fd uintptr) { peer, failure = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) }); err != nil {
		return err
	}
	if failure != nil {
		return failure
	}
	if err := checkUser(peer.Uid); err != nil {
		return fmt.Errorf("the process that answers %w", err)
	}
	return nil
}
