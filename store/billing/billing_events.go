package billing

import (
	"context"
	"time"

	"parley/store"
)

// BillingEvents keeps the events of Stripe that were applied.
type BillingEvents struct{ store *store.Store }

// NewBillingEvents returns the billing events of a database.
func NewBillingEvents(db *store.Store) *BillingEvents { return &BillingEvents{db} }

// A transaction that inserts the same event at the same time waits here for the
// other one to end, and then does nothing.
const insertBillingEvent = `INSERT INTO billing_events (id, type, applied_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING`

const hasBillingEvent = `SELECT EXISTS (SELECT 1 FROM billing_events WHERE id = $1)`

// AddBillingEvent writes an event down, and reports false if it was there.
func (s *BillingEvents) AddBillingEvent(ctx context.Context, id, kind string, now time.Time) (added bool, err error) {
	err = s.store.WriteRaw(ctx, func(ctx context.Context) error {
		added, err = s.store.Changes(ctx, insertBillingEvent, id, kind, now)
		return err
	})
	return added, err
}

// HasBillingEvent reports whether an event was written down.
func (s *BillingEvents) HasBillingEvent(ctx context.Context, id string) (has bool, err error) {
	err = store.ScanOne(ctx, s.store.Raw(ctx), []any{&has}, hasBillingEvent, id)
	return has, store.MapError(err)
}

// DeleteBillingEvents deletes those that were written down before a time.
func (s *BillingEvents) DeleteBillingEvents(ctx context.Context, before time.Time) error {
	return s.store.Expire(ctx, "billing_events", "applied_at < $1", before)
}
