package billing

import (
	"context"

	"parley/core/subscription"
	"parley/ent/scope"
	"parley/store"
)

// Reversals keeps refunds and disputes.
type Reversals struct{ store *store.Store }

// NewReversals returns the reversals of a database.
func NewReversals(db *store.Store) *Reversals { return &Reversals{db} }

const (
	saveReversal = `INSERT INTO reversals (workspace_id, stripe_id, kind, status, amount, currency, at) VALUES ($1, $2, $3, $4, $5, $6, $7)
	ON CONFLICT (workspace_id, stripe_id) DO UPDATE SET status = excluded.status, amount = excluded.amount, at = excluded.at`
	latestReversals = `SELECT stripe_id, kind, status, amount, currency, at FROM reversals WHERE workspace_id = $1 ORDER BY at DESC, id DESC LIMIT $2`
)

// SaveReversal adds or replaces a refund or dispute.
func (s *Reversals) SaveReversal(ctx context.Context, workspaceID string, r subscription.Reversal) error {
	return s.store.Run(scope.Workspace(ctx, workspaceID), saveReversal, workspaceID, r.StripeID, string(r.Kind), r.Status, r.Amount, r.Currency, r.At)
}

// Reversals returns the latest refunds and disputes, the latest first.
func (s *Reversals) Reversals(ctx context.Context, workspaceID string, limit int) ([]subscription.Reversal, error) {
	return store.Rows(scope.Workspace(ctx, workspaceID), s.store, func(r *subscription.Reversal) []any {
		return []any{&r.StripeID, &r.Kind, &r.Status, &r.Amount, &r.Currency, store.InUTC(&r.At)}
	}, latestReversals, workspaceID, limit)
}
