//go:build unix

package config

import "syscall"

// openFiles is how many files this process may open, connections included.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 1024
	}
	return int(min(uint64(limit.Cur), 1<<30)) // on some systems it is signed
}
