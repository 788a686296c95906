package billing

import (
	"context"
	"time"

	ent "parley/ent/generated"
	"parley/ent/generated/billingevent"
	"parley/store"
)

// BillingEvents keeps the events of Stripe that were applied.
type BillingEvents struct{ store *store.Store }

// NewBillingEvents returns the billing events of a database.
func NewBillingEvents(db *store.Store) *BillingEvents { return &BillingEvents{db} }

// A transaction that inserts the same event at the same time waits here for the
// other one to end, and then does nothing.
const insertBillingEvent = `INSERT INTO billing_events (id, type, applied_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING`

// AddBillingEvent writes an event down, and reports false if it was there.
func (s *BillingEvents) AddBillingEvent(ctx context.Context, id, kind string, now time.Time) (added bool, err error) {
	err = s.store.WriteRaw(ctx, func(ctx context.Context) error {
		added, err = s.store.Changes(ctx, insertBillingEvent, id, kind, now)
		return err
	})
	return added, err
}

// HasBillingEvent reports whether an event was written down.
func (s *BillingEvents) HasBillingEvent(ctx context.Context, id string) (bool, error) {
	has, err := s.store.Client(ctx).BillingEvent.Query().Where(billingevent.ID(id)).Exist(ctx)
	return has, store.MapError(err)
}

// DeleteBillingEvents deletes those that were written down before a time.
func (s *BillingEvents) DeleteBillingEvents(ctx context.Context, before time.Time) error {
	return store.InPortions(ctx, s.store, func(ctx context.Context, db *ent.Client) ([]string, error) {
		return db.BillingEvent.Query().Where(billingevent.AppliedAtLT(before)).Limit(store.TrimBatch).IDs(ctx)
	}, func(ctx context.Context, db *ent.Client, ids []string) (int, error) {
		return db.BillingEvent.Delete().Where(billingevent.IDIn(ids...), billingevent.AppliedAtLT(before)).Exec(ctx)
	})
}
