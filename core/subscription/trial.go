package subscription

import (
	"context"
	"time"
)

// TrialKey names who has a trial: an account, or what is paid with.
type TrialKey string

// TrialOfUser is the key of the account that began a checkout.
func TrialOfUser(userID string) TrialKey { return TrialKey("user:" + userID) }

// TrialOfPayment is the key of a card or account that is paid with, by Stripe's
// fingerprint of it.
func TrialOfPayment(fingerprint string) TrialKey { return TrialKey("payment:" + fingerprint) }

// TrialStore remembers who has had the one trial there is, beyond the deletion
// of a workspace.
type TrialStore interface {
	// AddTrial says which subscription's trial a key is for, unless it is for
	// another already. It returns the one that stands.
	AddTrial(ctx context.Context, key TrialKey, subscriptionID string, now time.Time) (stands string, err error)
	HasTrial(ctx context.Context, key TrialKey) (bool, error)
}

// Trials sees to it that everybody has one trial.
type Trials struct {
	db  Database
	now func() time.Time
}

// TrialTaken reports whether a person has had their trial.
func (t *Trials) TrialTaken(ctx context.Context, key TrialKey) (bool, error) {
	return t.db.Trials.HasTrial(ctx, key)
}

// ClaimTrial notes that a subscription has the trial of all keys, and reports
// false if another subscription had it of any. It may be called again.
func (t *Trials) ClaimTrial(ctx context.Context, subscriptionID string, keys ...TrialKey) (first bool, err error) {
	err = t.db.Tx.InTx(ctx, func(ctx context.Context) error {
		first = true
		for _, key := range keys {
			stands, err := t.db.Trials.AddTrial(ctx, key, subscriptionID, t.now())
			if err != nil {
				return err
			}
			first = first && stands == subscriptionID
		}
		return nil
	})
	return first && err == nil, err
}
