// Package keyfile owns the file in the data folder in which a server keeps the keys that it
// encrypts with, when it is given none.
//
// It does not own which keys a server uses (package app), nor what they encrypt
// (package seal).
package keyfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"parley/core/seal"
	"parley/internal/private"
)

// maxFile limits how many bytes of a file are read.
const maxFile = 4 << 10

// Make creates a key that only this user can read, unless there is one.
// If several processes do so at once, one succeeds.
func Make(path string) error {
	if _, err := os.Stat(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var key seal.ServerKey
	_, _ = rand.Read(key[:]) // never fails
	if err := Write(path, []seal.ServerKey{key}); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// Write writes keys into a new file that only this user can read. No process
// ever reads half of it. Without its key, encrypted data is lost, so the file survives a
// power cut.
func Write(path string, keys []seal.ServerKey) error {
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

// Read reads the key that the server made, or several after a restore: the
// current one is the first.
func Read(path string) ([]seal.ServerKey, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxFile))
	if err != nil {
		return nil, err
	}
	keys, err := seal.ParseServerKeys(string(content))
	if err != nil || len(keys) == 0 {
		return nil, errNoKeyInFile
	}
	return keys, nil
}
