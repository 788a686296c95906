package billing

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"parley/core/subscription"
	ent "parley/ent/generated"
	"parley/ent/generated/reversal"
	"parley/ent/scope"
	"parley/store"
)

// Reversals keeps refunds and disputes.
type Reversals struct{ store *store.Store }

// NewReversals returns the reversals of a database.
func NewReversals(db *store.Store) *Reversals { return &Reversals{db} }

// SaveReversal adds or replaces a refund or dispute.
func (s *Reversals) SaveReversal(ctx context.Context, workspaceID string, r subscription.Reversal) error {
	return s.store.InTx(scope.Workspace(ctx, workspaceID), func(ctx context.Context) error {
		return s.store.Exec(ctx, s.store.Into(reversal.Table).
			Set(reversal.FieldWorkspaceID, workspaceID).Set(reversal.FieldStripeID, r.StripeID).Set(reversal.FieldKind, string(r.Kind)).
			Set(reversal.FieldStatus, r.Status).Set(reversal.FieldAmount, r.Amount).Set(reversal.FieldCurrency, r.Currency).Set(reversal.FieldAt, r.At).
			OnConflict(sql.ConflictColumns(reversal.FieldWorkspaceID, reversal.FieldStripeID),
				store.Overwrite(reversal.FieldStatus, reversal.FieldAmount, reversal.FieldAt)))
	})
}

// Reversals returns the latest refunds and disputes, the latest first.
func (s *Reversals) Reversals(ctx context.Context, workspaceID string, limit int) ([]subscription.Reversal, error) {
	rows, err := s.store.Client(ctx).Reversal.Query().Where(reversal.WorkspaceID(workspaceID)).
		Order(reversal.ByAt(sql.OrderDesc()), reversal.ByID(sql.OrderDesc())).Limit(limit).All(scope.Workspace(ctx, workspaceID))
	return store.Mapped(rows, err, func(row *ent.Reversal) subscription.Reversal {
		return subscription.Reversal{
			StripeID: row.StripeID, Kind: subscription.ReversalKind(row.Kind), Status: row.Status,
			Amount: row.Amount, Currency: row.Currency, At: row.At.UTC(),
		}
	})
}
