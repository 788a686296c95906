// Package servers keeps what the servers of an installation agree on: who does a chore, who
// reads a host, how many requests a minute has had, and the key of public identifiers. None
// of it is a workspace's data but the minutes.
package servers

import (
	"context"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	ent "parley/ent/generated"
	"parley/ent/generated/chore"
	"parley/ent/generated/predicate"
	"parley/store"
)

// Chores lets one process at a time do a chore.
type Chores struct{ store *store.Store }

// NewChores returns the chores of a database.
func NewChores(db *store.Store) *Chores { return &Chores{db} }

const beginChore = `INSERT INTO chores (id, begun_at) VALUES ($1, $2)
	ON CONFLICT (id) DO UPDATE SET begun_at = excluded.begun_at WHERE chores.begun_at < $3`

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
	names, err := s.store.Client(ctx).Chore.Query().Where(predicate.Chore(entsql.FieldHasPrefix(chore.FieldID, prefix)), chore.BegunAtGTE(since)).Order(ent.Asc(chore.FieldID)).IDs(ctx)
	return names, store.MapError(err)
}

// ForgetChores deletes those whose names have a prefix and that were begun before a time.
func (s *Chores) ForgetChores(ctx context.Context, prefix string, before time.Time) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		_, err := db.Chore.Delete().Where(predicate.Chore(entsql.FieldHasPrefix(chore.FieldID, prefix)), chore.BegunAtLT(before)).Exec(ctx)
		return err
	})
}

// Begun returns when a chore was last begun, or the zero time.
func (s *Chores) Begun(ctx context.Context, name string) (time.Time, error) {
	row, err := s.store.Client(ctx).Chore.Get(ctx, name)
	if ent.IsNotFound(err) {
		return time.Time{}, nil
	}
	return store.One(row, err, func(row *ent.Chore) time.Time { return row.BegunAt.UTC() })
}
