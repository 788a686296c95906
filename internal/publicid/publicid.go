// Package publicid converts the sequence numbers of conversations, messages, deliveries and entries
// of the audit log into the identifiers that callers see, and back. The identifiers cannot be guessed and do not
// reveal how many rows there are; no column stores them.
//
// It is for the transports: the packages under core and the database know only sequence
// numbers.
package publicid

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
)

const (
	// KeySize is the size of a key in bytes: AES-256.
	KeySize = 32
	// Max is the largest sequence number and the largest identifier: the
	// largest integer that a float64, and so any JSON parser, holds exactly.
	Max = 1<<53 - 1

	// The bits of the two halves of a number.
	left, right = 26, 27
	// rounds are as many as in FF1.
	rounds = 10
)

// kind is what a number identifies. Numbers of different kinds are permuted
// independently.
type kind byte

const (
	conversation kind = 1
	message      kind = 2
	delivery     kind = 3
	entry        kind = 4
)

// Codec converts between sequence numbers and identifiers, both from 1 to
// [Max]. Each kind is a keyed permutation: a Feistel network whose round
// function is AES-256, with the parameters of FF1 (NIST SP 800-38G: alternating
// halves of unequal length, ten rounds, the kind as its tweak). A half, the
// round and the kind fit into one block of AES, so that FF1's chaining of
// blocks is not needed.
//
// It is safe for concurrent use.
type Codec struct{ block cipher.Block }

// New returns the codec of a key of [KeySize] bytes.
func New(key []byte) (*Codec, error) {
	if len(key) != KeySize {
		return nil, fmt.Errorf("the key of public identifiers has %d bytes instead of %d", len(key), KeySize)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return &Codec{block}, nil
}

// Conversation returns the identifier of a conversation's sequence number. It panics
// unless the number is from 1 to [Max].
func (c *Codec) Conversation(sequence int64) int64 { return c.encode(conversation, sequence) }

// Message returns the identifier of a message's sequence number. It panics unless the
// number is from 1 to [Max].
func (c *Codec) Message(sequence int64) int64 { return c.encode(message, sequence) }

// Messages returns the identifiers of messages, in the same order. The result
// is never nil.
func (c *Codec) Messages(sequences []int64) []int64 {
	ids := make([]int64, len(sequences))
	for i, sequence := range sequences {
		ids[i] = c.Message(sequence)
	}
	return ids
}

// ConversationSequence returns the sequence number of a conversation's identifier. It
// reports false for an impossible identifier; an identifier that was never issued has a
// sequence number that no row has.
func (c *Codec) ConversationSequence(id int64) (sequence int64, ok bool) {
	return c.decode(conversation, id)
}

// MessageSequence is like [Codec.ConversationSequence] for a message.
func (c *Codec) MessageSequence(id int64) (sequence int64, ok bool) {
	return c.decode(message, id)
}

// Delivery returns the identifier of a webhook delivery's sequence number. It panics
// unless the number is from 1 to [Max].
func (c *Codec) Delivery(sequence int64) int64 { return c.encode(delivery, sequence) }

// DeliverySequence is like [Codec.ConversationSequence] for a webhook's delivery.
func (c *Codec) DeliverySequence(id int64) (sequence int64, ok bool) { return c.decode(delivery, id) }

// Entry returns the identifier of the sequence number of an entry of the audit log. It panics
// unless the number is from 1 to [Max].
func (c *Codec) Entry(sequence int64) int64 { return c.encode(entry, sequence) }

// EntrySequence is like [Codec.ConversationSequence] for an entry of the audit log.
func (c *Codec) EntrySequence(id int64) (sequence int64, ok bool) { return c.decode(entry, id) }

func isNumber(n int64) bool { return 1 <= n && n <= Max }

func (c *Codec) encode(k kind, sequence int64) int64 {
	if !isNumber(sequence) {
		panic(fmt.Sprintf("publicid: %d is not a sequence number", sequence))
	}
	id := c.permute(k, uint64(sequence))
	if id == 0 { // not in the domain: walk the cycle to the next number that is
		id = c.permute(k, 0)
	}
	return int64(id)
}

func (c *Codec) decode(k kind, id int64) (sequence int64, ok bool) {
	if !isNumber(id) {
		return 0, false
	}
	n := c.restore(k, uint64(id))
	if n == 0 {
		n = c.restore(k, 0)
	}
	return int64(n), true
}

// permute maps the 53-bit numbers onto themselves. Even rounds change the left half, odd
// ones the right.
func (c *Codec) permute(k kind, n uint64) uint64 {
	var block [aes.BlockSize]byte
	l, r := n>>right, n&(1<<right-1)
	for i := byte(0); i < rounds; i += 2 {
		l = (l ^ c.round(&block, k, i, r)) & (1<<left - 1)
		r = (r ^ c.round(&block, k, i+1, l)) & (1<<right - 1)
	}
	return l<<right | r
}

// restore is the inverse of permute.
func (c *Codec) restore(k kind, n uint64) uint64 {
	var block [aes.BlockSize]byte
	l, r := n>>right, n&(1<<right-1)
	for i := byte(rounds); i > 0; i -= 2 {
		r = (r ^ c.round(&block, k, i-1, l)) & (1<<right - 1)
		l = (l ^ c.round(&block, k, i-2, r)) & (1<<left - 1)
	}
	return l<<right | r
}

// round is the round function. The caller passes the block, so that a number costs one
// allocation instead of one per round.
func (c *Codec) round(block *[aes.BlockSize]byte, k kind, i byte, half uint64) uint64 {
	*block = [aes.BlockSize]byte{byte(k), i}
	binary.BigEndian.PutUint64(block[8:], half)
	c.block.Encrypt(block[:], block[:])
	return binary.BigEndian.Uint64(block[:8])
}
