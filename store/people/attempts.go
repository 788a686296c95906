package people

import (
	"context"
	"time"

	"parley/store"
)

// Attempts counts attempts at passwords and codes.
type Attempts struct{ store *store.Store }

// NewAttempts returns the attempts of a database.
func NewAttempts(db *store.Store) *Attempts { return &Attempts{db} }

const (
	forgetAttempts = `DELETE FROM sign_in_attempts WHERE id = $1 AND last_at < $2`
	countAttempt   = `INSERT INTO sign_in_attempts (id, failures, last_at) VALUES ($1, 1, $2)
	ON CONFLICT (id) DO UPDATE SET failures = sign_in_attempts.failures + 1, last_at = excluded.last_at RETURNING failures`
	forgiveAttempt = `UPDATE sign_in_attempts SET failures = failures - 1 WHERE id = $1 AND failures > 0`
)

// CountAttempt adds one to the count of key and returns it.
func (s *Attempts) CountAttempt(ctx context.Context, key string, since, now time.Time) (count int, err error) {
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		if err := s.store.Run(ctx, forgetAttempts, key, since); err != nil {
			return err
		}
		return store.ScanOne(ctx, s.store.Raw(ctx), []any{&count}, countAttempt, key, now)
	})
	return count, err
}

// ForgiveAttempt takes one from the count of key.
func (s *Attempts) ForgiveAttempt(ctx context.Context, key string) error {
	return s.store.Run(ctx, forgiveAttempt, key)
}
