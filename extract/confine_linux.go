package extract

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// dataReserve is what the Go runtime maps beyond what it uses. The limit of
// the data segment is the last resort, behind the two watches: whoever is
// quicker than they are ends here.
const dataReserve = 512 << 20

// confineMore limits what the process maps (setrlimit(2): RLIMIT_DATA counts
// private writable mappings; RLIMIT_AS would count what Go and WebAssembly
// only reserve), and forbids it to gain privileges.
func confineMore(limits Limits) error {
	if err := lower(unix.RLIMIT_DATA, uint64(limits.Memory)+dataReserve); err != nil {
		return err
	}
	// Every thread has this attribute by itself. Go can set it on all in
	// programs without cgo, as ours is; in tests with the race detector it
	// cannot.
	_, _, failure := syscall.AllThreadsSyscall(syscall.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0)
	if failure != 0 && !errors.Is(failure, syscall.ENOTSUP) {
		return failure
	}
	return nil
}

func lower(resource int, value uint64) error {
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value})
}
