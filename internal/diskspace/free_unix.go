//go:build linux || darwin || freebsd

package diskspace

import "syscall"

// roomOf returns the free space, for whoever is not root, and the size of the disk of a
// folder.
func roomOf(dir string) (free, size uint64, err error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return 0, 0, err
	}
	block := uint64(disk.Bsize)
	return uint64(disk.Bavail) * block, uint64(disk.Blocks) * block, nil
}
