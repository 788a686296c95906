package knowledge

import (
	"context"
	"time"

	"parley/core/knowledge/rebuild"
	"parley/store"
)

// Rebuilds keeps the marks of rebuilds of the index.
type Rebuilds struct{ store *store.Store }

// NewRebuilds returns the rebuilds of a database.
func NewRebuilds(db *store.Store) *Rebuilds { return &Rebuilds{db} }

const (
	beginRebuild = `INSERT INTO rebuilds (began_at) VALUES ($1) RETURNING id`
	allRebuilds  = `SELECT id, began_at FROM rebuilds ORDER BY began_at, id`
	endRebuild   = `DELETE FROM rebuilds WHERE id = $1`
)

// BeginRebuild marks that a rebuild of the index begins.
func (s *Rebuilds) BeginRebuild(ctx context.Context, at time.Time) (id int, err error) {
	err = s.store.WriteRaw(ctx, func(ctx context.Context) error {
		return store.ScanOne(ctx, s.store.Raw(ctx), []any{&id}, beginRebuild, at)
	})
	return id, err
}

// Rebuilds returns the marks that are there, the earliest first.
func (s *Rebuilds) Rebuilds(ctx context.Context) ([]rebuild.Mark, error) {
	return store.Rows(ctx, s.store, func(m *rebuild.Mark) []any { return []any{&m.ID, store.InUTC(&m.BeganAt)} }, allRebuilds)
}

// EndRebuild takes a mark away, if it is there.
func (s *Rebuilds) EndRebuild(ctx context.Context, id int) error {
	return s.store.Run(ctx, endRebuild, id)
}
