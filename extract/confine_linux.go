package extract

import (
	"golang.org/x/sys/unix"
)

// dataReserve is what the Go runtime maps beyond what it uses. The limit on
// the data segment is the last resort: it stops a child that outruns both
// memory watches.
const dataReserve = 512 << 20

// confineMore limits what the process maps (setrlimit(2): RLIMIT_DATA counts
// private writable mappings; RLIMIT_AS would count what Go and WebAssembly
// only reserve).
func confineMore(limits Limits) error {
	return lower(unix.RLIMIT_DATA, uint64(limits.Memory)+dataReserve)
}

func lower(resource int, value uint64) error {
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value})
}
