package account

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"
	"net/netip"
	"strings"

	"golang.org/x/crypto/argon2"

	"parley/internal/id"
)

// The cost of a password hash, from the OWASP Password Storage Cheat Sheet:
// argon2id with m=19456 KiB, t=2, p=1.
const (
	argonMemory  = 19456
	argonTime    = 2
	argonThreads = 1
	saltLen      = 16
	keyLen       = 32
)

// hasher hashes and verifies passwords, a limited number at a time, because each
// takes 19 MiB.
type hasher struct {
	random io.Reader
	queue  *queue
	// decoy is a hash that matches no password. Verifying against it makes unknown
	// accounts take as long as a wrong password.
	decoy string
}

func newHasher(random io.Reader, parallel int) *hasher {
	h := &hasher{random: random, queue: newQueue(parallel)}
	h.decoy = phc(id.Bytes(random, saltLen), id.Bytes(random, keyLen))
	return h
}

// hash returns a PHC string.
func (h *hasher) hash(ctx context.Context, client netip.Addr, password string) (string, error) {
	release, err := h.queue.acquire(ctx, client)
	if err != nil {
		return "", err
	}
	defer release()
	return h.encode([]byte(password), id.Bytes(h.random, saltLen)), nil
}

// verify reports whether a password matches a PHC string, and whether the string
// should be replaced because the cost has changed since.
func (h *hasher) verify(ctx context.Context, client netip.Addr, phc, password string) (ok, outdated bool, err error) {
	var memory, time uint32
	var threads uint8
	var version int
	parts := strings.Split(phc, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, false, fmt.Errorf("not an argon2id string")
	}
	if _, err := fmt.Sscanf(parts[2], "v=%d", &version); err != nil {
		return false, false, err
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &time, &threads); err != nil {
		return false, false, err
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false, false, err
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil {
		return false, false, err
	}
	if time == 0 || threads == 0 || len(want) < keyLen {
		// An empty key would match every password.
		return false, false, fmt.Errorf("an argon2id string without strength")
	}
	release, err := h.queue.acquire(ctx, client)
	if err != nil {
		return false, false, err
	}
	defer release()
	got := argon2.IDKey([]byte(password), salt, time, memory, threads, uint32(len(want)))
	outdated = memory != argonMemory || time != argonTime || threads != argonThreads
	return subtle.ConstantTimeCompare(got, want) == 1, outdated, nil
}

func (h *hasher) encode(password, salt []byte) string {
	return phc(salt, argon2.IDKey(password, salt, argonTime, argonMemory, argonThreads, keyLen))
}

func phc(salt, key []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonTime, argonThreads,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key))
}
