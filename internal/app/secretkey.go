package app

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"parley/core/fault"
	"parley/core/seal"
)

// maxKeyFile limits how many bytes of a key file are read.
const maxKeyFile = 4 << 10

// serverKeys returns the keys that encrypt the secrets of workspaces: those of
// SECRET_KEY, and on SQLite the one in the data folder. On SQLite without
// SECRET_KEY, the first call creates that one. On PostgreSQL no key is created,
// because each of several servers would create its own.
func serverKeys(config *Config, sqlite bool) ([]seal.ServerKey, error) {
	keys, err := seal.ParseServerKeys(config.SecretKey)
	if err != nil {
		return nil, err
	}
	if !sqlite {
		if len(keys) == 0 {
			return nil, seal.NoServerKey()
		}
		return keys, nil
	}
	path := config.KeyPath()
	if len(keys) == 0 {
		if err := makeKeyFile(path); err != nil {
			return nil, unusableKeyFile(err)
		}
	}
	kept, err := readKeyFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return keys, nil
	}
	if err != nil {
		return nil, unusableKeyFile(err)
	}
	return append(keys, kept), nil
}

func unusableKeyFile(cause error) error {
	return fault.Wrap(fault.Unavailable, cause, "This server cannot store keys right now. Ask its operator to check secret.key in the data folder.")
}

// makeKeyFile creates a key that only this user can read, unless there is one.
// If several processes do so at once, one succeeds. No process ever reads half a
// key.
func makeKeyFile(path string) error {
	if _, err := os.Stat(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var key seal.ServerKey
	_, _ = rand.Read(key[:])                                       // never fails
	file, err := os.CreateTemp(filepath.Dir(path), "secret-*.tmp") // with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = fmt.Fprintln(file, key.Text())
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Link(file.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes a new file survive a power cut: without its key, encrypted data
// is lost.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

var errNoKeyInFile = errors.New("the file does not hold one key in base64")

func readKeyFile(path string) (key seal.ServerKey, err error) {
	file, err := os.Open(path)
	if err != nil {
		return key, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxKeyFile))
	if err != nil {
		return key, err
	}
	keys, err := seal.ParseServerKeys(string(content))
	if err != nil || len(keys) != 1 {
		return key, errNoKeyInFile
	}
	return keys[0], nil
}
