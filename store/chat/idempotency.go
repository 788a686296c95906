package chat

import (
	"context"
	"time"

	"parley/core/chat"
	"parley/core/fault"
	"parley/core/system"
	"parley/ent/scope"
	"parley/store"
)

// Keys keeps idempotency keys.
type Keys struct{ store *store.Store }

// NewKeys returns the keys of a database.
func NewKeys(db *store.Store) *Keys { return &Keys{db} }

// claim ties a key to what its request began. It replaces an expired claim. It
// changes nothing where there is a valid one, so that a transaction on
// PostgreSQL stays usable. There, a transaction that inserts the same key at
// the same time waits for the other one to end.
const claim = `INSERT INTO idempotency_keys (workspace_id, token_id, route, key, body_hash, conversation_id, message_id, created_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
	ON CONFLICT (token_id, route, key) DO UPDATE SET body_hash = excluded.body_hash, conversation_id = excluded.conversation_id,
		message_id = excluded.message_id, created_at = excluded.created_at
	WHERE idempotency_keys.workspace_id = excluded.workspace_id AND idempotency_keys.created_at <= $9`

// Claim ties a key to what the transaction of ctx has made. The claim has the
// key's body hash.
func (s *Keys) Claim(ctx context.Context, workspaceID string, key chat.Key, made chat.Claim, since time.Time) error {
	ctx = scope.Workspace(ctx, workspaceID)
	return s.store.WriteRaw(ctx, func(ctx context.Context) error {
		claimed, err := s.store.Changes(ctx, claim, workspaceID, key.TokenID, key.Route, key.Value, key.BodyHash,
			made.ConversationID, made.AnswerID, made.At, since)
		if err == nil && !claimed {
			return fault.New(fault.Conflict, "This Idempotency-Key is in use already.")
		}
		return err
	})
}

const selectClaim = `SELECT body_hash, conversation_id, message_id, created_at FROM idempotency_keys
	WHERE workspace_id = $1 AND token_id = $2 AND route = $3 AND key = $4 AND created_at > $5`

// Claimed returns what a key made after since is tied to.
func (s *Keys) Claimed(ctx context.Context, workspaceID string, key chat.Key, since time.Time) (made chat.Claim, err error) {
	ctx = scope.Workspace(ctx, workspaceID)
	err = store.ScanOne(ctx, s.store.Raw(ctx), []any{&made.BodyHash, &made.ConversationID, &made.AnswerID, store.InUTC(&made.At)},
		selectClaim, workspaceID, key.TokenID, key.Route, key.Value, since)
	return made, store.MapError(err)
}

// DeleteKeys deletes the keys of any workspace from before a time.
func (s *Keys) DeleteKeys(ctx context.Context, access system.Access, before time.Time) error {
	return s.store.Expire(scope.System(ctx, access), "idempotency_keys", "created_at < $1", before)
}
