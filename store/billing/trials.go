package billing

import (
	"context"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/subscription"
	ent "parley/ent/generated"
	"parley/ent/generated/trial"
	"parley/store"
)

// Trials keeps who has had a trial.
type Trials struct{ store *store.Store }

// NewTrials returns the trials of a database.
func NewTrials(db *store.Store) *Trials { return &Trials{db} }

// AddTrial ties a key to the subscription whose trial it used, unless it is
// tied to another one, and returns the subscription that it is tied to.
func (s *Trials) AddTrial(ctx context.Context, key subscription.TrialKey, subscriptionID string, now time.Time) (stands string, err error) {
	err = s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		err := s.store.Exec(ctx, s.store.Into(trial.Table).
			Set(trial.FieldID, string(key)).Set(trial.FieldSubscriptionID, subscriptionID).Set(trial.FieldCreatedAt, now).
			OnConflict(entsql.ConflictColumns(trial.FieldID), entsql.DoNothing()))
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
func (s *Trials) HasTrial(ctx context.Context, key subscription.TrialKey) (bool, error) {
	had, err := s.store.Client(ctx).Trial.Query().Where(trial.ID(string(key))).Exist(ctx)
	return had, store.MapError(err)
}
