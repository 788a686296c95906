package store

import (
	"context"
	"time"

	"parley/ent"
	"parley/ent/billingevent"
)

// Who inserts the same event at the same time waits here for the other's
// transaction to end, and then does nothing.
const insertBillingEvent = `INSERT INTO billing_events (id, type, applied_at) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING`

// AddBillingEvent writes an event down, and reports false if it was there.
func (s *Store) AddBillingEvent(ctx context.Context, id, kind string, now time.Time) (added bool, err error) {
	err = s.inWrite(ctx, func(ctx context.Context) error {
		added, err = s.changes(ctx, insertBillingEvent, id, kind, now)
		return err
	})
	return added, err
}

// HasBillingEvent reports whether an event was written down.
func (s *Store) HasBillingEvent(ctx context.Context, id string) (bool, error) {
	has, err := s.db(ctx).BillingEvent.Query().Where(billingevent.ID(id)).Exist(ctx)
	return has, mapError(err)
}

// DeleteBillingEvents deletes those that were written down before a time.
func (s *Store) DeleteBillingEvents(ctx context.Context, before time.Time) error {
	return s.write(ctx, func(ctx context.Context, db *ent.Client) error {
		_, err := db.BillingEvent.Delete().Where(billingevent.AppliedAtLT(before)).Exec(ctx)
		return err
	})
}
