//go:build unix

package config

import "syscall"

// openFiles returns how many files this process may open, including connections.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 1024
	}
	return int(min(uint64(limit.Cur), 1<<30)) // signed on some systems
}
