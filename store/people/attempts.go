package people

import (
	"context"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	ent "parley/ent/generated"
	"parley/ent/generated/signinattempt"
	"parley/store"
)

// Attempts counts attempts at passwords and codes.
type Attempts struct{ store *store.Store }

// NewAttempts returns the attempts of a database.
func NewAttempts(db *store.Store) *Attempts { return &Attempts{db} }

// CountAttempt adds one to the count of key and returns it.
func (s *Attempts) CountAttempt(ctx context.Context, key string, since, now time.Time) (int, error) {
	count := 0
	err := s.store.InTx(ctx, func(ctx context.Context) error {
		db := s.store.Client(ctx)
		if _, err := db.SignInAttempt.Delete().Where(signinattempt.ID(key), signinattempt.LastAtLT(since)).Exec(ctx); err != nil {
			return err
		}
		err := s.store.Exec(ctx, s.store.Into(signinattempt.Table).
			Set(signinattempt.FieldID, key).Set(signinattempt.FieldFailures, 1).Set(signinattempt.FieldLastAt, now).
			OnConflict(entsql.ConflictColumns(signinattempt.FieldID), entsql.ResolveWith(func(u *entsql.UpdateSet) {
				u.Add(signinattempt.FieldFailures, 1).SetExcluded(signinattempt.FieldLastAt)
			})))
		if err != nil {
			return err
		}
		row, err := db.SignInAttempt.Get(ctx, key)
		if err != nil {
			return err
		}
		count = row.Failures
		return nil
	})
	return count, err
}

// ForgiveAttempt takes one from the count of key.
func (s *Attempts) ForgiveAttempt(ctx context.Context, key string) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return db.SignInAttempt.Update().Where(signinattempt.ID(key), signinattempt.FailuresGT(0)).AddFailures(-1).Exec(ctx)
	})
}
