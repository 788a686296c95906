// Package id makes opaque identifiers and random secrets.
package id

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"io"
	"math/big"
	"strings"
)

var encoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// New returns prefix, an underscore and 24 characters of 120-bit randomness.
// It panics when random fails, which crypto/rand never does.
func New(random io.Reader, prefix string) string {
	return prefix + "_" + encoding.EncodeToString(Bytes(random, 15))
}

// Parse returns an identifier from a caller. An invalid one becomes empty, which names
// nothing, so that no hostile bytes reach a database.
func Parse(text string) string {
	for i := range len(text) {
		switch b := text[i]; {
		case 'a' <= b && b <= 'z', '0' <= b && b <= '9', b == '_':
		default:
			return ""
		}
	}
	return text
}

// Bytes returns n random bytes. It panics when random fails.
func Bytes(random io.Reader, n int) []byte {
	b := make([]byte, n)
	if _, err := io.ReadFull(random, b); err != nil {
		panic("no randomness: " + err.Error())
	}
	return b
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// Base62 writes b as a big-endian number in base 62, padded with zeros to
// width characters.
func Base62(b []byte, width int) string {
	n := new(big.Int).SetBytes(b)
	digit, radix := new(big.Int), big.NewInt(62)
	out := make([]byte, 0, width)
	for n.Sign() > 0 {
		n.DivMod(n, radix, digit)
		out = append(out, base62[digit.Int64()])
	}
	var s strings.Builder
	for range width - len(out) {
		s.WriteByte('0')
	}
	for i := len(out) - 1; i >= 0; i-- {
		s.WriteByte(out[i])
	}
	return s.String()
}

// Secret returns 256 random bits for a link or a cookie. It panics when random
// fails.
func Secret(random io.Reader) string {
	return base64.RawURLEncoding.EncodeToString(Bytes(random, 32))
}

// Hash returns the SHA-256 of a secret in hex, which is what the database stores.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
