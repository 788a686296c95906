// Package seal owns the encryption of the secrets that this server has to read
// again, such as keys of model providers and the secrets of apps that make codes,
// and the server's keys with which it encrypts.
//
// It does not own where these keys come from (package app), nor where what
// is sealed is kept.
package seal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"golang.org/x/crypto/chacha20poly1305"

	"parley/core/fault"
	"parley/internal/id"
)

// Sealer keeps secrets from whoever reads the database. A secret is sealed with
// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha) under a key of the server, for one
// owner in one workspace, which is empty for what belongs to a person: moved to
// another row it does not open. It is safe for concurrent use.
type Sealer struct {
	random io.Reader
	load   func() ([]ServerKey, error)

	mu   sync.Mutex
	keys []ServerKey
}

// NewSealer returns a sealer that asks load for the server's keys when it
// first needs them. The first of them seals, and all of them open. An error
// of load that is a fault is shown to who saves a secret.
func NewSealer(random io.Reader, load func() ([]ServerKey, error)) *Sealer {
	return &Sealer{random: random, load: load}
}

// A sealed secret is a version, the id of the server's key, a nonce and the
// sealed text.
const (
	sealVersion = 1
	headerLen   = 1 + serverKeyIDLen
	noncePlace  = headerLen + chacha20poly1305.NonceSizeX
)

var (
	errNotSealed        = errors.New("the sealed secret is not in a form that this version knows")
	errUnknownServerKey = errors.New("the secret is sealed with an unknown server key: add the one that was used before to SECRET_KEY, after the current one")
	errForged           = errors.New("the sealed secret was changed, or is another owner's")
	errNoServerKey      = (&fault.Error{
		Kind: fault.Unavailable, Field: "key",
		Message: "This server cannot keep keys yet: its operator has to set SECRET_KEY.",
	}).ForOperator()
)

// NoServerKey is what saving a key is refused with where there is no key of
// the server to seal it with. It is Unavailable.
func NoServerKey() error { return errNoServerKey }

// Seal seals a secret of a workspace, tied to the id of its owner.
func (s *Sealer) Seal(workspaceID, ownerID, text string) ([]byte, error) {
	keys, err := s.serverKeys()
	if err != nil {
		return nil, err
	}
	aead, err := chacha20poly1305.NewX(keys[0][:])
	if err != nil {
		return nil, err
	}
	keyID := keys[0].id()
	sealed := append([]byte{sealVersion}, keyID[:]...)
	nonce := id.Bytes(s.random, chacha20poly1305.NonceSizeX)
	sealed = append(sealed, nonce...)
	return aead.Seal(sealed, nonce, []byte(text), tie(workspaceID, ownerID)), nil
}

// Unseal returns what Seal sealed for the same workspace and owner.
func (s *Sealer) Unseal(workspaceID, ownerID string, sealed []byte) (string, error) {
	if len(sealed) < noncePlace+chacha20poly1305.Overhead || sealed[0] != sealVersion {
		return "", errNotSealed
	}
	keys, err := s.serverKeys()
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(keys, func(key ServerKey) bool {
		keyID := key.id()
		return bytes.Equal(keyID[:], sealed[1:headerLen])
	})
	if at < 0 {
		return "", errUnknownServerKey
	}
	aead, err := chacha20poly1305.NewX(keys[at][:])
	if err != nil {
		return "", err
	}
	text, err := aead.Open(nil, sealed[headerLen:noncePlace], sealed[noncePlace:], tie(workspaceID, ownerID))
	if err != nil {
		return "", errForged
	}
	return string(text), nil
}

// tie is what a sealed secret is tied to: it is written into none of it.
func tie(workspaceID, ownerID string) []byte {
	return fmt.Appendf(nil, "%c%d:%s%s", sealVersion, len(workspaceID), workspaceID, ownerID)
}

func (s *Sealer) serverKeys() ([]ServerKey, error) {
	if s == nil {
		return nil, errNoServerKey
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.keys) > 0 {
		return s.keys, nil
	}
	keys, err := s.load()
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		return nil, errNoServerKey
	}
	s.keys = keys
	return keys, nil
}
