package app

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"parley/core/chatbot"
	"parley/core/fault"
)

// maxKeyFile bounds what is read of a file that should hold one key.
const maxKeyFile = 4 << 10

// serverKeys are the keys that seal and open what workspaces entrust to the
// server: those of SECRET_KEY, and on SQLite that of the data folder. Without
// SECRET_KEY it is made there when it is first needed. Several servers on one
// PostgreSQL would each make their own, so they make none.
func serverKeys(config *Config, sqlite bool) ([]chatbot.ServerKey, error) {
	keys, err := chatbot.ParseServerKeys(config.SecretKey)
	if err != nil {
		return nil, err
	}
	if !sqlite {
		if len(keys) == 0 {
			return nil, chatbot.NoServerKey()
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
	return fault.Wrap(fault.Unavailable, cause, "This server cannot keep keys just now: its operator has to look after secret.key in the data folder.")
}

// makeKeyFile makes a key that only this user can read, unless there is one.
// Of several processes that do so at once one succeeds, and nobody ever reads
// half a key.
func makeKeyFile(path string) error {
	if _, err := os.Stat(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var key chatbot.ServerKey
	_, _ = rand.Read(key[:])                                       // it never fails
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

// syncDir makes sure that a new file is still there after a power cut: a key
// must last as long as what it has sealed.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

var errNoKeyInFile = errors.New("the file does not hold one key in base64")

func readKeyFile(path string) (key chatbot.ServerKey, err error) {
	file, err := os.Open(path)
	if err != nil {
		return key, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxKeyFile))
	if err != nil {
		return key, err
	}
	keys, err := chatbot.ParseServerKeys(string(content))
	if err != nil || len(keys) != 1 {
		return key, errNoKeyInFile
	}
	return keys[0], nil
}
