package knowledge

import (
	"context"
	"time"

	"parley/core/knowledge/rebuild"
	ent "parley/ent/generated"
	entrebuild "parley/ent/generated/rebuild"
	"parley/store"
)

// Rebuilds keeps the marks of rebuilds of the index.
type Rebuilds struct{ store *store.Store }

// NewRebuilds returns the rebuilds of a database.
func NewRebuilds(db *store.Store) *Rebuilds { return &Rebuilds{db} }

// BeginRebuild marks that a rebuild of the index begins.
func (s *Rebuilds) BeginRebuild(ctx context.Context, at time.Time) (id int, err error) {
	err = s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		row, err := db.Rebuild.Create().SetBeganAt(at).Save(ctx)
		if err == nil {
			id = row.ID
		}
		return err
	})
	return id, err
}

// Rebuilds returns the marks that are there, the earliest first.
func (s *Rebuilds) Rebuilds(ctx context.Context) ([]rebuild.Mark, error) {
	rows, err := s.store.Client(ctx).Rebuild.Query().Order(entrebuild.ByBeganAt(), entrebuild.ByID()).All(ctx)
	return store.Mapped(rows, err, func(row *ent.Rebuild) rebuild.Mark {
		return rebuild.Mark{ID: row.ID, BeganAt: row.BeganAt.UTC()}
	})
}

// EndRebuild takes a mark away, if it is there.
func (s *Rebuilds) EndRebuild(ctx context.Context, id int) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		_, err := db.Rebuild.Delete().Where(entrebuild.ID(id)).Exec(ctx)
		return err
	})
}
