package seal

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// ServerKey is what a server seals with: 32 random bytes. It hides from logs
// and formats.
type ServerKey [32]byte

const hidden = "[key]"

const (
	serverKeyIDLen = 8
	maxServerKeys  = 16
)

// Format writes nothing of the key.
func (k ServerKey) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(hidden)) }

// MarshalText writes nothing of the key.
func (k ServerKey) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// id tells server keys apart, and says nothing of them.
func (k ServerKey) id() [serverKeyIDLen]byte {
	sum := sha256.Sum256(append([]byte("parley server key\x00"), k[:]...))
	return [serverKeyIDLen]byte(sum[:])
}

var errServerKeys = errors.New("give 32 random bytes in base64 or hexadecimal, such as openssl rand -base64 32 prints; " +
	"several are separated by commas, the current one first")

// ParseServerKeys reads keys that are separated by commas, each in base64
// (standard or of URLs, padded or not) or in hexadecimal. An error of it has
// nothing of the text. No text is no keys.
func ParseServerKeys(text string) ([]ServerKey, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var keys []ServerKey
	for part := range strings.SplitSeq(text, ",") {
		key, ok := parseServerKey(strings.TrimSpace(part))
		if !ok || len(keys) == maxServerKeys {
			return nil, errServerKeys
		}
		keys = append(keys, key)
	}
	return keys, nil
}

func parseServerKey(text string) (ServerKey, bool) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != len(ServerKey{}) {
		text = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
		raw, err = base64.RawStdEncoding.DecodeString(text)
	}
	if err != nil || len(raw) != len(ServerKey{}) {
		return ServerKey{}, false
	}
	key := ServerKey(raw)
	return key, key != ServerKey{} // zeros are nobody's secret
}

// Text is the key in base64, for the file that keeps it.
func (k ServerKey) Text() string { return base64.StdEncoding.EncodeToString(k[:]) }
