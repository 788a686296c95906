package app

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"parley/core/fault"
	"parley/core/seal"
	"parley/internal/private"
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
	return append(keys, kept...), nil
}

func unusableKeyFile(cause error) error {
	return fault.Wrap(fault.Unavailable, cause, "This server cannot store keys right now. Ask its operator to check secret.key in the data folder.")
}

// makeKeyFile creates a key that only this user can read, unless there is one.
// If several processes do so at once, one succeeds.
func makeKeyFile(path string) error {
	if _, err := os.Stat(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var key seal.ServerKey
	_, _ = rand.Read(key[:]) // never fails
	if err := writeKeyFile(path, []seal.ServerKey{key}); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// writeKeyFile writes keys into a new file that only this user can read. No process
// ever reads half of it. Without its key, encrypted data is lost, so the file survives a
// power cut.
func writeKeyFile(path string, keys []seal.ServerKey) error {
	file, err := os.CreateTemp(filepath.Dir(path), "secret-*.tmp") // with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	texts := make([]string, len(keys))
	for i, key := range keys {
		texts[i] = key.Text()
	}
	_, err = fmt.Fprintln(file, strings.Join(texts, ","))
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Link(file.Name(), path); err != nil {
		return err
	}
	return private.Sync(filepath.Dir(path))
}

var errNoKeyInFile = errors.New("the file does not hold a key in base64")

// readKeyFile reads the key that the server made, or several after a restore: the
// current one is the first.
func readKeyFile(path string) ([]seal.ServerKey, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxKeyFile))
	if err != nil {
		return nil, err
	}
	keys, err := seal.ParseServerKeys(string(content))
	if err != nil || len(keys) == 0 {
		return nil, errNoKeyInFile
	}
	return keys, nil
}
