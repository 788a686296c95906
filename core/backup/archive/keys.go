package archive

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/chacha20poly1305"

	"parley/core/fault"
)

// MinPassphrase is how many characters a passphrase has at least.
const MinPassphrase = 12

// The costs of argon2id (RFC 9106), and the highest that a file may ask for.
const (
	hashTime    = 3
	hashMemory  = 64 << 10 // KiB
	hashThreads = 4
	saltLen     = 16

	maxHashTime   = 16
	maxHashMemory = 256 << 10
)

// SealedKeys are the secrets of the installation, sealed with a key that argon2id and then
// HKDF-SHA-256 derive from a passphrase.
type SealedKeys struct {
	Salt    []byte `json:"salt"`
	Time    uint32 `json:"argon2id_time"`
	Memory  uint32 `json:"argon2id_kib"`
	Threads uint8  `json:"argon2id_threads"`
	// Sealed is a nonce and the secrets, by XChaCha20-Poly1305.
	Sealed []byte `json:"sealed"`
}

// Secrets are what a file holds sealed.
type Secrets struct {
	// ServerKeys are the keys that the server encrypts with, the current one first.
	ServerKeys []string `json:"server_keys"`
	// Rows are the rows of sealed tables, by table, each encoded as a file has rows elsewhere.
	Rows map[string][]string `json:"rows"`
}

// Key seals and opens with a passphrase.
type Key struct {
	made             SealedKeys // without what is sealed
	sealing, signing []byte
}

// NewKey makes a key of a passphrase for a new file.
func NewKey(passphrase string) (*Key, error) {
	if utf8.RuneCountInString(passphrase) < MinPassphrase {
		return nil, fault.New(fault.Invalid, "The passphrase must have at least %d characters.", MinPassphrase)
	}
	salt := make([]byte, saltLen)
	_, _ = rand.Read(salt) // never fails
	return keyOf(passphrase, SealedKeys{Salt: salt, Time: hashTime, Memory: hashMemory, Threads: hashThreads})
}

// keyOf makes the key of a file.
func keyOf(passphrase string, made SealedKeys) (*Key, error) {
	if made.Time == 0 || made.Time > maxHashTime || made.Memory > maxHashMemory || made.Threads == 0 || len(made.Salt) < saltLen || len(made.Salt) > 1024 {
		return nil, damaged("the costs of its passphrase are none that Parley uses.")
	}
	made.Sealed = nil
	hashed := argon2.IDKey([]byte(passphrase), made.Salt, made.Time, made.Memory, made.Threads, 32)
	sealing, err := hkdf.Key(sha256.New, hashed, nil, "parley backup: keys", chacha20poly1305.KeySize)
	if err != nil {
		return nil, err
	}
	signing, err := hkdf.Key(sha256.New, hashed, nil, "parley backup: end", sha256.Size)
	if err != nil {
		return nil, err
	}
	return &Key{made, sealing, signing}, nil
}

func (k *Key) seal(secrets Secrets) (SealedKeys, error) {
	content, err := json.Marshal(secrets, json.Deterministic(true))
	if err != nil {
		return SealedKeys{}, err
	}
	aead, err := chacha20poly1305.NewX(k.sealing)
	if err != nil {
		return SealedKeys{}, err
	}
	nonce := make([]byte, chacha20poly1305.NonceSizeX)
	_, _ = rand.Read(nonce) // never fails
	sealed := k.made
	sealed.Sealed = aead.Seal(nonce, nonce, content, nil)
	return sealed, nil
}

func (k *Key) open(sealed []byte) (secrets Secrets, err error) {
	aead, err := chacha20poly1305.NewX(k.sealing)
	if err != nil {
		return secrets, err
	}
	if len(sealed) < chacha20poly1305.NonceSizeX {
		return secrets, damaged("it has no keys.")
	}
	content, err := aead.Open(nil, sealed[:chacha20poly1305.NonceSizeX], sealed[chacha20poly1305.NonceSizeX:], nil)
	if err != nil {
		return secrets, fault.New(fault.Invalid, "The passphrase is not the one of this backup, or its keys were changed.")
	}
	if err := json.Unmarshal(content, &secrets); err != nil {
		return secrets, damaged("its keys cannot be read.")
	}
	return secrets, nil
}

// sign is the seal of an end.
func (k *Key) sign(end End) string {
	mac := hmac.New(sha256.New, k.signing)
	_, _ = mac.Write([]byte(end.SHA256)) // never fails
	for _, sum := range end.Tables {
		_, _ = mac.Write(bytes.Join([][]byte{nil, []byte(sum.Name), []byte(sum.SHA256)}, []byte{0}))
	}
	return hex.EncodeToString(mac.Sum(nil))
}

func (k *Key) signed(end End) bool {
	return hmac.Equal([]byte(k.sign(end)), []byte(end.Seal))
}
