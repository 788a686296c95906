// Package expanding has passages expanded after their documents are ready: what they are
// about is added to what a search ranks by. A search works without it, and better with it.
//
// It owns when passages are expanded, and for how long. It does not own how (port
// retrieval.Expander), or what an expansion counts in a ranking (package retrieval).
package expanding

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley/core/retrieval"
	"parley/internal/id"
)

// Store is the port to passages that have no expansion.
type Store interface {
	// WorkspacesUnexpanded returns the workspaces that have such passages.
	WorkspacesUnexpanded(ctx context.Context) ([]string, error)
	// Unexpanded returns such passages of a workspace, the oldest first, at most limit.
	Unexpanded(ctx context.Context, workspaceID string, limit int) ([]retrieval.Passage, error)
	// SaveExpansions stores expansions by [retrieval.Passage.ID]. A passage that is gone
	// is left out.
	SaveExpansions(ctx context.Context, workspaceID string, expansions map[int64]retrieval.Expansion) error
	// CountUnexpanded counts such passages of all workspaces.
	CountUnexpanded(ctx context.Context) (int, error)
}

// Service expands passages.
type Service struct {
	store    Store
	expander retrieval.Expander
	now      func() time.Time
	rest     func(ctx context.Context, pause time.Duration)
}

// New returns a service over its ports. Rest pauses, and ends with ctx.
func New(store Store, expander retrieval.Expander, now func() time.Time, rest func(context.Context, time.Duration)) *Service {
	return &Service{store, expander, now, rest}
}

const (
	// workTime is how long one call works: less than a minute, after which another
	// process may have its turn.
	workTime = 50 * time.Second
	// batch is how many passages of a workspace are expanded before another has its turn.
	batch = 8
)

// Left counts the passages that have no expansion.
func (s *Service) Left(ctx context.Context) (int, error) { return s.store.CountUnexpanded(ctx) }

// Work expands passages for less than a minute, a few of each workspace in turn, so
// that a large one holds no other up. It rests for as long as it works, since people ask
// questions meanwhile. A workspace that fails is left out until the next call.
func (s *Service) Work(ctx context.Context) error {
	until := s.now().Add(workTime)
	var failures []error
	var failed []string
	for {
		workspaces, err := s.store.WorkspacesUnexpanded(ctx)
		if err != nil {
			return errors.Join(append(failures, err)...)
		}
		workspaces = slices.DeleteFunc(workspaces, func(w string) bool { return id.IsThrowAway(w) || slices.Contains(failed, w) })
		if len(workspaces) == 0 {
			return errors.Join(failures...)
		}
		for _, workspaceID := range workspaces {
			began := s.now()
			if !began.Before(until) || ctx.Err() != nil {
				return errors.Join(failures...)
			}
			if err := s.expand(ctx, workspaceID); err != nil {
				failed, failures = append(failed, workspaceID), append(failures, err)
			}
			s.rest(ctx, s.now().Sub(began))
		}
	}
}

// expand expands a few passages of a workspace.
func (s *Service) expand(ctx context.Context, workspaceID string) error {
	passages, err := s.store.Unexpanded(ctx, workspaceID, batch)
	if err != nil {
		return err
	}
	made, err := s.expander.Expand(ctx, passages)
	if err != nil {
		return err
	}
	expansions := make(map[int64]retrieval.Expansion, len(made))
	for i, p := range passages {
		expansions[p.ID] = made[i]
	}
	return s.store.SaveExpansions(ctx, workspaceID, expansions)
}
