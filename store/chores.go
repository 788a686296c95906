package store

import (
	"context"
	"time"
)

// Chores lets one process at a time do a chore.
type Chores struct{ store *Store }

// NewChores returns the chores of a database.
func NewChores(db *Store) *Chores { return &Chores{db} }

const beginChore = `INSERT INTO chores (id, begun_at) VALUES ($1, $2)
	ON CONFLICT (id) DO UPDATE SET begun_at = excluded.begun_at WHERE chores.begun_at < $3`

// BeginChore reports whether the caller is to do the chore: nobody has begun it
// since a time.
func (s *Chores) BeginChore(ctx context.Context, name string, since, now time.Time) (mine bool, err error) {
	err = s.store.inWrite(ctx, func(ctx context.Context) error {
		mine, err = s.store.changes(ctx, beginChore, name, now, since)
		return err
	})
	return mine, err
}
