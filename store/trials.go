package store

import (
	"context"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/tenant"
	"parley/ent"
	"parley/ent/trial"
)

// AddTrial says which subscription's trial a key is for, unless it is for
// another already, and returns the one that stands.
func (s *Store) AddTrial(ctx context.Context, key tenant.TrialKey, subscriptionID string, now time.Time) (stands string, err error) {
	err = s.write(ctx, func(ctx context.Context, db *ent.Client) error {
		err := unlessThere(db.Trial.Create().SetID(string(key)).SetSubscriptionID(subscriptionID).SetCreatedAt(now).
			OnConflict(entsql.ConflictColumns(trial.FieldID), entsql.DoNothing()).Exec(ctx))
		if err != nil {
			return err
		}
		row, err := db.Trial.Get(ctx, string(key))
		if err == nil {
			stands = row.SubscriptionID
		}
		return err
	})
	return stands, err
}

// HasTrial reports whether a key's trial was had.
func (s *Store) HasTrial(ctx context.Context, key tenant.TrialKey) (bool, error) {
	had, err := s.db(ctx).Trial.Query().Where(trial.ID(string(key))).Exist(ctx)
	return had, mapError(err)
}
