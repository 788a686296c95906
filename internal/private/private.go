// Package private keeps files and folders from other users of the machine,
// whatever the umask is.
package private

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

const (
	fileMode   = 0o600
	folderMode = 0o700
)

// besides lists the suffixes of the files that SQLite creates beside a database. It
// gives them the database's mode.
var besides = []string{"-wal", "-shm", "-journal"}

// Database ensures that a SQLite file exists, and that only its owner can read and write
// it and the files beside it. It follows symbolic links.
func Database(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, fileMode)
	if errors.Is(err, syscall.EROFS) { // a disk with errors, which the system lets nobody change
		file, err = os.Open(path)
	}
	if err != nil {
		return err
	}
	_, err = Tighten(WithDatabases(path)...)
	return errors.Join(err, file.Close())
}

// Tighten takes away the rights of others to the files and folders that exist, and returns
// the names of those that others had rights to.
func Tighten(paths ...string) (open []string, err error) {
	var failures []error
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		mode := fs.FileMode(fileMode)
		if info.IsDir() {
			mode = folderMode
		}
		changed, err := tighten(path, mode)
		failures = append(failures, err)
		if changed {
			open = append(open, path)
		}
	}
	return open, errors.Join(failures...)
}

// WithDatabases adds to paths of databases the files that SQLite creates beside them.
func WithDatabases(paths ...string) (all []string) {
	for _, path := range paths {
		all = append(all, path)
		for _, end := range besides {
			all = append(all, path+end)
		}
	}
	return all
}

// tighten leaves a mode unchanged if others have no rights.
func tighten(path string, mode fs.FileMode) (changed bool, err error) {
	info, err := os.Stat(filepath.Clean(path))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return false, err
	}
	return true, os.Chmod(path, mode)
}

// Sync makes what was written to a file, or the names in a folder, survive a power cut.
func Sync(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
