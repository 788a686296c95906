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
	// signUpsByAddress bounds how many accounts one address makes.
	signUpsByAddress = 20
)

type attempt struct {
	store Store
	keys  []string
}

// limit is how often something may be tried within the window.
type limit struct {
	key string
	max int
}

func signInLimits(account, address string) []limit {
	return []limit{
		{"pair:" + account + "|" + address, attemptsByPair},
		{"address:" + address, attemptsByAddress},
		{"account:" + account, attemptsByAccount},
	}
}

func (s *Service) countAttempt(ctx context.Context, limits ...limit) (attempt, error) {
	counted := attempt{store: s.store}
	now := s.now()
	err := s.store.InTx(ctx, func(ctx context.Context) error {
		counted.keys = nil
		for _, limit := range limits {
			key := hashSecret(limit.key)
			count, err := s.store.CountAttempt(ctx, key, now.Add(-attemptWindow), now)
			if err != nil {
				return err
			}
			if count > limit.max {
				return &fault.Error{
					Kind: fault.RateLimited, RetryAfter: attemptWindow,
					Message: "Too many attempts. Wait 15 minutes and try again.",
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
