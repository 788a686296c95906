//go:build unix

package status

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// checkOwn fails unless a file belongs to this user or root, and nobody else may write to it.
func checkOwn(kind, path string, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("cannot tell whom the %s %s belongs to", kind, path)
	}
	if err := checkUser(stat.Uid); err != nil {
		return fmt.Errorf("the %s %s %w", kind, path, err)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("other users may write to the %s %s, so that one of them could answer in the server's place: chmod go-w %s", kind, path, path)
	}
	return nil
}

func checkUser(uid uint32) error {
	if own := os.Geteuid(); uid != 0 && int(uid) != own {
		return fmt.Errorf("belongs to user %d, and this command is run by user %d: run it as the server's user", uid, own)
	}
	return nil
}
