// Package servers keeps what the servers of an installation agree on: who does a chore, who
// reads a host, how many requests a minute has had, and the key of public identifiers. None
// of it is a workspace's data but the minutes.
package servers

import (
	"context"
	"time"

	"parley/core/fault"
	"parley/store"
)

// Chores lets one process at a time do a chore.
type Chores struct{ store *store.Store }

// NewChores returns the chores of a database.
func NewChores(db *store.Store) *Chores { return &Chores{db} }

const (
	beginChore = `INSERT INTO chores (id, begun_at) VALUES ($1, $2)
	ON CONFLICT (id) DO UPDATE SET begun_at = excluded.begun_at WHERE chores.begun_at < $3`
	choresBegun  = `SELECT id FROM chores WHERE substr(id, 1, $1) = $2 AND begun_at >= $3 ORDER BY id`
	forgetChores = `DELETE FROM chores WHERE substr(id, 1, $1) = $2 AND begun_at < $3`
	choreBegun   = `SELECT begun_at FROM chores WHERE id = $1`
)

// BeginChore reports whether the caller is to do the chore: nobody has begun it
// since a time.
func (s *Chores) BeginChore(ctx context.Context, name string, since, now time.Time) (mine bool, err error) {
	err = s.store.WriteRaw(ctx, func(ctx context.Context) error {
		mine, err = s.store.Changes(ctx, beginChore, name, now, since)
		return err
	})
	return mine, err
}

// ChoresBegun returns the names with a prefix of what was begun at a time or later.
func (s *Chores) ChoresBegun(ctx context.Context, prefix string, since time.Time) ([]string, error) {
	return store.Rows(ctx, s.store, func(name *string) []any { return []any{name} }, choresBegun, len(prefix), prefix, since)
}

// ForgetChores deletes those whose names have a prefix and that were begun before a time.
func (s *Chores) ForgetChores(ctx context.Context, prefix string, before time.Time) error {
	return s.store.Run(ctx, forgetChores, len(prefix), prefix, before)
}

// Begun returns when a chore was last begun, or the zero time.
func (s *Chores) Begun(ctx context.Context, name string) (at time.Time, err error) {
	err = store.ScanOne(ctx, s.store.Raw(ctx), []any{store.InUTC(&at)}, choreBegun, name)
	if fault.Is(err, fault.NotFound) {
		return time.Time{}, nil
	}
	return at, store.MapError(err)
}
