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
	"parley/text/writing"
)

const (
	saltLen = 16
	keyLen  = 32
)

// cost is what argon2id takes to compute a hash: memory in KiB, passes over it, threads.
type cost struct {
	memory, time uint32
	threads      uint8
}

// secure is the cost from the OWASP Password Storage Cheat Sheet.
var secure = cost{memory: 19456, time: 2, threads: 1}

func (c cost) key(password, salt []byte) []byte {
	return argon2.IDKey(password, salt, c.time, c.memory, c.threads, keyLen)
}

// hasher hashes and verifies passwords, a limited number at a time, because each
// takes 19 MiB.
type hasher struct {
	random io.Reader
	queue  *queue
	cost   cost
	// decoy is a hash that matches no password. Verifying against it makes unknown
	// accounts take as long as a wrong password.
	decoy string
}

func newHasher(random io.Reader, parallel int, cost cost) *hasher {
	decoy := phc(cost, id.Bytes(random, saltLen), id.Bytes(random, keyLen))
	return &hasher{random: random, queue: newQueue(parallel), cost: cost, decoy: decoy}
}

// hash returns a PHC string.
func (h *hasher) hash(ctx context.Context, client netip.Addr, password string) (string, error) {
	release, err := h.queue.acquire(ctx, client)
	if err != nil {
		return "", err
	}
	defer release()
	return h.encode([]byte(writing.Typed(password)), id.Bytes(h.random, saltLen)), nil
}

// verify reports whether a password matches a PHC string, and whether the string
// should be replaced because the cost has changed since, or because it was made before
// passwords were normalized. How much it computes for a wrong password depends on
// the password alone, so that the decoy takes as long as a real hash.
func (h *hasher) verify(ctx context.Context, client netip.Addr, phc, password string) (ok, outdated bool, err error) {
	var costs cost
	var version int
	parts := strings.Split(phc, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, false, fmt.Errorf("not an argon2id string")
	}
	if _, err := fmt.Sscanf(parts[2], "v=%d", &version); err != nil {
		return false, false, err
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &costs.memory, &costs.time, &costs.threads); err != nil {
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
	if costs.time == 0 || costs.threads == 0 || len(want) != keyLen {
		// An empty key would match every password.
		return false, false, fmt.Errorf("an argon2id string without strength")
	}
	release, err := h.queue.acquire(ctx, client)
	if err != nil {
		return false, false, err
	}
	defer release()
	normal := writing.Typed(password)
	if subtle.ConstantTimeCompare(costs.key([]byte(normal), salt), want) == 1 {
		return true, costs != h.cost, nil
	}
	if normal == password {
		return false, costs != h.cost, nil
	}
	ok = subtle.ConstantTimeCompare(costs.key([]byte(password), salt), want) == 1
	return ok, ok || costs != h.cost, nil
}

func (h *hasher) encode(password, salt []byte) string {
	return phc(h.cost, salt, h.cost.key(password, salt))
}

func phc(cost cost, salt, key []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, cost.memory, cost.time, cost.threads,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key))
}
