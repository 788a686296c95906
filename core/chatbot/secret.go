package chatbot

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"io"

	"parley/internal/id"
)

// A token's secret is "parley_", or "parley_pub_" if it is publishable, 43 base62 characters of 256-bit randomness
// and 6 base62 characters of their CRC32, so that a typing error is refused
// without a look-up. Only its SHA-256 is stored.
const (
	tokenPrefix       = "parley_"
	publishablePrefix = "parley_pub_"
	randomLen         = 43
	checkLen          = 6
	bodyLen           = randomLen + checkLen
)

func mint(random io.Reader, kind TokenKind) string {
	body := id.Base62(id.Bytes(random, 32), randomLen)
	if kind == PublishableToken {
		return publishablePrefix + body + checksum(body)
	}
	return tokenPrefix + body + checksum(body)
}

func checksum(body string) string {
	return id.Base62(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(body))), checkLen)
}

func wellFormed(secret string) bool {
	if len(secret) <= bodyLen {
		return false
	}
	prefix, body := secret[:len(secret)-bodyLen], secret[len(secret)-bodyLen:]
	return (prefix == tokenPrefix || prefix == publishablePrefix) && body[randomLen:] == checksum(body[:randomLen])
}

func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func hint(secret string) string {
	return secret[:len(secret)-bodyLen+4] + "…" + secret[len(secret)-4:]
}

// MintThrowAway makes the secret of a token that is not issued but planted, with its hash and
// hint: see package core/isolation.
func MintThrowAway(random io.Reader, kind TokenKind) (secret, hashed, hinted string) {
	secret = mint(random, kind)
	return secret, hash(secret), hint(secret)
}
