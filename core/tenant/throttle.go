package tenant

import (
	"context"
	"time"

	"parley/core/fault"
)

// Attempts are counted before the password is looked at, so that guesses sent
// at once count too. The pair of account and address has the low limit; an
// account alone has a high one, so that nobody can lock another out cheaply.
const (
	attemptWindow     = 15 * time.Minute
	attemptsByPair    = 10
	attemptsByAddress = 100
	attemptsByAccount = 200
)

type attempt struct {
	store Store
	keys  []string
}

func (s *Service) countAttempt(ctx context.Context, email, address string) (attempt, error) {
	limits := []struct {
		key string
		max int
	}{
		{"pair:" + email + "|" + address, attemptsByPair},
		{"address:" + address, attemptsByAddress},
		{"account:" + email, attemptsByAccount},
	}
	counted := attempt{store: s.store}
	now := s.now()
	err := s.store.InTx(ctx, func(ctx context.Context) error {
		for _, limit := range limits {
			key := hashSecret(limit.key)
			count, err := s.store.CountAttempt(ctx, key, now.Add(-attemptWindow), now)
			if err != nil {
				return err
			}
			if count > limit.max {
				return &fault.Error{
					Kind: fault.RateLimited, RetryAfter: attemptWindow,
					Message: "Too many attempts to sign in. Wait 15 minutes and try again.",
				}
			}
			counted.keys = append(counted.keys, key)
		}
		return nil
	})
	return counted, err
}

// forgive takes back an attempt that succeeded.
func (a attempt) forgive(ctx context.Context) error {
	return a.store.InTx(ctx, func(ctx context.Context) error {
		for _, key := range a.keys {
			if err := a.store.ForgiveAttempt(ctx, key); err != nil {
				return err
			}
		}
		return nil
	})
}
