//go:build unix

package extract

import (
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ownGroup starts a child in its own process group, so that the parent can kill
// it together with everything it started.
func ownGroup(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func killGroup(child *exec.Cmd) error {
	return syscall.Kill(-child.Process.Pid, syscall.SIGKILL)
}

// confine permanently lowers the limits of this process before it sees the
// document: limited processor time, no core file, and no writes to files.
func confine(limits Limits) error {
	seconds := uint64(2*limits.Time.Seconds()) + 1 // two threads at a time
	for resource, value := range map[int]uint64{
		unix.RLIMIT_CPU:   seconds,
		unix.RLIMIT_CORE:  0,
		unix.RLIMIT_FSIZE: 0,
	} {
		if err := lower(resource, value); err != nil {
			return err
		}
	}
	return confineMore(limits)
}

// seal stops this process from opening anything more, whether file or socket.
// On Linux only a few system calls remain.
func seal() error {
	// The first timer makes the Go runtime open its poller.
	time.Sleep(time.Nanosecond)
	if err := lower(unix.RLIMIT_NOFILE, 0); err != nil {
		return err
	}
	return forbid()
}

// endedFromOutside reports whether a signal ended a process that neither it nor its document can be
// held to have brought about: it was ended by the system, which was out of memory, by a filter of
// system calls around the server, or by somebody who stops the server.
func endedFromOutside(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return false
	}
	switch status.Signal() {
	case syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGSYS:
		return true
	}
	return false
}
