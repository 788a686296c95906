//go:build unix && !linux

package extract

import "golang.org/x/sys/unix"

func confineMore(Limits) error { return nil }

func lower(resource int, value uint64) error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(resource, &limit); err != nil {
		return err
	}
	set(&limit.Cur, value)
	set(&limit.Max, value)
	return unix.Setrlimit(resource, &limit)
}

// set assigns a limit, whose type is signed on FreeBSD.
func set[T int64 | uint64](limit *T, value uint64) { *limit = T(value) }
