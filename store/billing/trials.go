package billing

import (
	"context"
	"time"

	"parley/core/subscription"
	"parley/store"
)

// Trials keeps who has had a trial.
type Trials struct{ store *store.Store }

// NewTrials returns the trials of a database.
func NewTrials(db *store.Store) *Trials { return &Trials{db} }

const (
	addTrial = `INSERT INTO trials (id, subscription_id, created_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING`
	trialOf  = `SELECT subscription_id FROM trials WHERE id = $1`
	hasTrial = `SELECT EXISTS (SELECT 1 FROM trials WHERE id = $1)`
)

// AddTrial ties a key to the subscription whose trial it used, unless it is
// tied to another one, and returns the subscription that it is tied to.
func (s *Trials) AddTrial(ctx context.Context, key subscription.TrialKey, subscriptionID string, now time.Time) (stands string, err error) {
	err = s.store.WriteRaw(ctx, func(ctx context.Context) error {
		if err := s.store.Run(ctx, addTrial, string(key), subscriptionID, now); err != nil {
			return err
		}
		return store.ScanOne(ctx, s.store.Raw(ctx), []any{&stands}, trialOf, string(key))
	})
	return stands, err
}

// HasTrial reports whether a key's trial was had.
func (s *Trials) HasTrial(ctx context.Context, key subscription.TrialKey) (had bool, err error) {
	err = store.ScanOne(ctx, s.store.Raw(ctx), []any{&had}, hasTrial, string(key))
	return had, store.MapError(err)
}
