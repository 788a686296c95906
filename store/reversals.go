package store

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"parley/core/subscription"
	"parley/ent"
	"parley/ent/reversal"
)

// Reversals keeps refunds and disputes.
type Reversals struct{ store *Store }

// NewReversals returns the reversals of a database.
func NewReversals(db *Store) *Reversals { return &Reversals{db} }

// SaveReversal adds or replaces a refund or dispute.
func (s *Reversals) SaveReversal(ctx context.Context, workspaceID string, r subscription.Reversal) error {
	return s.store.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Reversal.Create().SetWorkspaceID(workspaceID).SetStripeID(r.StripeID).SetKind(string(r.Kind)).
			SetStatus(r.Status).SetAmount(r.Amount).SetCurrency(r.Currency).SetAt(r.At).
			OnConflict(sql.ConflictColumns(reversal.FieldWorkspaceID, reversal.FieldStripeID), sql.ResolveWith(func(u *sql.UpdateSet) {
				for _, column := range []string{reversal.FieldStatus, reversal.FieldAmount, reversal.FieldAt} {
					u.SetExcluded(column)
				}
			})).Exec(ctx)
	})
}

// Reversals returns the latest refunds and disputes, the latest first.
func (s *Reversals) Reversals(ctx context.Context, workspaceID string, limit int) ([]subscription.Reversal, error) {
	rows, err := s.store.db(ctx).Reversal.Query().Where(reversal.WorkspaceID(workspaceID)).
		Order(reversal.ByAt(sql.OrderDesc()), reversal.ByID(sql.OrderDesc())).Limit(limit).All(within(ctx, workspaceID))
	return mapped(rows, err, func(row *ent.Reversal) subscription.Reversal {
		return subscription.Reversal{
			StripeID: row.StripeID, Kind: subscription.ReversalKind(row.Kind), Status: row.Status,
			Amount: row.Amount, Currency: row.Currency, At: row.At.UTC(),
		}
	})
}
