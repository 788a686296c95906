package app

import (
	"crypto/rand"
	"errors"
	"io/fs"

	"parley/app/keyfile"
	"parley/core/fault"
	"parley/core/seal"
	"parley/internal/diskspace"
)

// newSealer returns what seals secrets with the server's keys.
func newSealer(config *Config, sqlite bool) *seal.Sealer {
	return seal.NewSealer(rand.Reader, func() ([]seal.ServerKey, error) { return serverKeys(config, sqlite) })
}

// serverKeys returns the keys that encrypt the secrets of workspaces: the keys in
// SECRET_KEY, and on SQLite also the one in the data folder. On SQLite without SECRET_KEY,
// the first call creates the key in the data folder. On PostgreSQL no key is created,
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
		if err := keyfile.Make(path); err != nil {
			return nil, unusableKeyFile(err)
		}
	}
	kept, err := keyfile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return keys, nil
	}
	if err != nil {
		return nil, unusableKeyFile(err)
	}
	return append(keys, kept...), nil
}

func unusableKeyFile(cause error) error {
	if diskspace.Says(cause) {
		return fault.OutOfStorage(cause)
	}
	return fault.Wrap(fault.Unavailable, cause, "This server cannot store keys right now. Ask its operator to check secret.key in the data folder.").ForOperator()
}
