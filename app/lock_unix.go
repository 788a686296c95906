//go:build unix

package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lockDataDir makes this process the only server on a data folder, and creates the
// folder if necessary. The lock ends with the process.
func lockDataDir(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("DATA_DIR must be a folder that this server may write to: %w", err)
	}
	path := filepath.Join(dir, "server.lock")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if errors.Is(err, syscall.EROFS) { // whoever reads alone locks, too
		file, err = os.Open(path)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot use the data folder: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("another server is running on the data folder %s; stop it or choose another with --data-dir", dir)
	}
	return func() { _ = file.Close() }, nil
}
