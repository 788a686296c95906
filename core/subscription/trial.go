package subscription

import (
	"context"
	"time"
)

// TrialKey identifies who has a trial: an account, or a means of payment.
type TrialKey string

// TrialOfUser returns the key of the account that started a checkout.
func TrialOfUser(userID string) TrialKey { return TrialKey("user:" + userID) }

// TrialOfPayment returns the key of a card or bank account, by Stripe's fingerprint.
func TrialOfPayment(fingerprint string) TrialKey { return TrialKey("payment:" + fingerprint) }

// TrialStore remembers who has had a trial, even after a workspace is deleted.
type TrialStore interface {
	// AddTrial assigns a key to a subscription's trial, unless it already has one. It
	// returns the subscription that has the key.
	AddTrial(ctx context.Context, key TrialKey, subscriptionID string, now time.Time) (stands string, err error)
	HasTrial(ctx context.Context, key TrialKey) (bool, error)
}

// Trials ensures that everybody has only one trial.
type Trials struct {
	db  Database
	now func() time.Time
}

// Taken reports whether a person has had their trial.
func (t *Trials) Taken(ctx context.Context, key TrialKey) (bool, error) {
	return t.db.Trials.HasTrial(ctx, key)
}

// Claim records a subscription's trial under all keys, and reports false if another
// subscription already has any of them. It may be called again.
func (t *Trials) Claim(ctx context.Context, subscriptionID string, keys ...TrialKey) (first bool, err error) {
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
