package chat

import (
	"context"
	"errors"
	"time"

	"parley/core/fault"
	"parley/core/system"
)

// keysKept is how long an idempotency key stands for its request.
const keysKept = 24 * time.Hour

// Key is an idempotency key: a request that must be executed once.
// (draft-ietf-httpapi-idempotency-key-header.)
type Key struct {
	TokenID string
	// Route is the method and the path, with identifiers in it.
	Route string
	// Value is the caller's, of 1 to 255 characters.
	Value string
	// BodyHash is the SHA-256, in hex, of the body and of the end user whom the
	// request is for: no other end user gets the answer.
	BodyHash string
}

// Claiming is a key that is about to be tied to what its request begins.
type Claiming struct {
	Key
	// Since is the time after which a claim of the key counts. One from before is
	// replaced.
	Since time.Time
}

// Claim is what a key is tied to.
type Claim struct {
	// BodyHash is the hash of the request that made the claim.
	BodyHash       string
	ConversationID int64
	// AnswerID is zero if the request had no answer.
	AnswerID int64
	At       time.Time
}

// KeyStore is the port to what keeps idempotency keys.
type KeyStore interface {
	// Claim ties a key to what the transaction of ctx has just made. It is a
	// Conflict if the key is taken and was made after since. A key from before
	// that is replaced. On PostgreSQL, Claim waits for another transaction that
	// is claiming the same key.
	Claim(ctx context.Context, workspaceID string, key Key, claim Claim, since time.Time) error
	// Claimed returns what a key made after since is tied to. A key that is not
	// there is a NotFound fault.
	Claimed(ctx context.Context, workspaceID string, key Key, since time.Time) (Claim, error)
	// DeleteKeys deletes the keys of any workspace from before a time.
	DeleteKeys(ctx context.Context, access system.Access, before time.Time) error
}

var (
	// ErrClaimed says that another request has just claimed the key. No caller
	// reads it.
	ErrClaimed   = fault.New(fault.Conflict, "This Idempotency-Key is in use.")
	errOtherBody = fault.New(fault.Conflict, "This Idempotency-Key was sent before with another request. Use a new key for a new request.").Named(fault.KeyReused)
)

// Keys ties idempotency keys to what their requests began.
type Keys struct {
	store KeyStore
	now   func() time.Time
}

// NewKeys returns the keys of a store.
func NewKeys(store KeyStore, now func() time.Time) *Keys { return &Keys{store, now} }

// Claim ties a key to what the transaction of ctx has made. It is [ErrClaimed]
// if another request was faster.
func (k *Keys) Claim(ctx context.Context, workspaceID string, key Key, conversationID, answerID int64) error {
	now := k.now()
	claim := Claim{BodyHash: key.BodyHash, ConversationID: conversationID, AnswerID: answerID, At: now}
	err := k.store.Claim(ctx, workspaceID, key, claim, now.Add(-keysKept))
	if fault.Is(err, fault.Conflict) {
		return ErrClaimed
	}
	return err
}

// Claiming is a key as it can be claimed now, and nil for none.
func (k *Keys) Claiming(key *Key) *Claiming {
	if key == nil {
		return nil
	}
	return &Claiming{*key, k.now().Add(-keysKept)}
}

// Claimed returns what a key stands for. It is NotFound for a new one, and a
// Conflict for one that came with another body.
func (k *Keys) Claimed(ctx context.Context, workspaceID string, key Key) (Claim, error) {
	claim, err := k.store.Claimed(ctx, workspaceID, key, k.now().Add(-keysKept))
	if err == nil && claim.BodyHash != key.BodyHash {
		return claim, errOtherBody
	}
	return claim, err
}

// IsClaimed reports whether a key stands for something.
func (k *Keys) IsClaimed(ctx context.Context, workspaceID string, key Key) bool {
	_, err := k.Claimed(ctx, workspaceID, key)
	return err == nil || errors.Is(err, errOtherBody)
}

// DeleteOutdated deletes the keys that stand for nothing any more.
func (k *Keys) DeleteOutdated(ctx context.Context, access system.Access) error {
	return k.store.DeleteKeys(ctx, access, k.now().Add(-keysKept))
}
