package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"time"
)

const (
	// AddressesKept is for how long entries have their network addresses. They are removed
	// once a night: none is there for 30 days.
	AddressesKept = 29 * 24 * time.Hour
	// addressesGuarded is for how long the database refuses to remove one. It leaves room
	// for clocks that differ.
	addressesGuarded = 28 * 24 * time.Hour
)

// saltSize is the size of a salt in bytes. Nobody tries all of them.
const saltSize = 16

// commitToAddress makes the hash that stands for an entry's address.
func (e *Entry) commitToAddress(random io.Reader) error {
	e.AddressSalt, e.AddressHash = "", ""
	if e.Origin.Address == "" {
		return nil
	}
	salt := make([]byte, saltSize)
	if _, err := io.ReadFull(random, salt); err != nil {
		return fmt.Errorf("no salt for an address: %w", err)
	}
	e.AddressSalt = hex.EncodeToString(salt)
	e.AddressHash = addressHash(e.AddressSalt, e.Origin.Address)
	return nil
}

// addressHash is the SHA-256, in hex, of a salt and an address.
func addressHash(salt, address string) string {
	h := sha256.New()
	writeParts(h, "parley audit address", salt, address)
	return hex.EncodeToString(h.Sum(nil))
}

// AddressState is what became of an entry's network address.
type AddressState int

// The states.
const (
	// AddressNone is an entry that has and had no address.
	AddressNone AddressState = iota
	AddressThere
	// AddressRemoved had one, which was removed with its salt.
	AddressRemoved
	// AddressAltered has another address or salt than the hash was made of.
	AddressAltered
)

// AddressState compares an entry's address with the hash that stands for it. What an entry
// of version 1 has counts as it is: it is in the entry's own hash.
func (e Entry) AddressState() AddressState {
	given := e.Origin.Address + e.AddressSalt
	switch {
	case e.Version == 1 && e.Origin.Address == "", e.AddressHash == "" && given == "":
		return AddressNone
	case e.Version == 1:
		return AddressThere
	case given == "":
		return AddressRemoved
	case e.AddressHash != addressHash(e.AddressSalt, e.Origin.Address):
		return AddressAltered
	}
	return AddressThere
}
