// Package encoding has passages encoded after their documents are ready: a sentence encoder
// reads them, which takes its time. A search works without it, and better with it.
//
// It owns when passages are encoded, and for how long. It does not own how (port
// retrieval.Encoder), or what an encoding counts in a ranking (package retrieval).
package encoding

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley/core/retrieval"
	"parley/internal/id"
)

// Store is the port to passages that have no encoding.
type Store interface {
	// WorkspacesUnencoded returns the workspaces that have such passages.
	WorkspacesUnencoded(ctx context.Context) ([]string, error)
	// Unencoded returns such passages of a workspace, the oldest first, at most limit.
	Unencoded(ctx context.Context, workspaceID string, limit int) ([]retrieval.Passage, error)
	// SaveEncodings stores encodings by [retrieval.Passage.ID]. A passage that is gone
	// is left out.
	SaveEncodings(ctx context.Context, workspaceID string, encodings map[int64]retrieval.Encoding) error
	// CountUnencoded counts such passages of all workspaces.
	CountUnencoded(ctx context.Context) (int, error)
}

// Service encodes passages.
type Service struct {
	store   Store
	encoder retrieval.Encoder
	now     func() time.Time
	rest    func(ctx context.Context, pause time.Duration)
}

// New returns a service over its ports. Rest pauses, and ends with ctx.
func New(store Store, encoder retrieval.Encoder, now func() time.Time, rest func(context.Context, time.Duration)) *Service {
	return &Service{store, encoder, now, rest}
}

const (
	// workTime is how long one call works: less than a minute, after which another
	// process may have its turn.
	workTime = 50 * time.Second
	// batch is how many passages of a workspace are encoded before another has its turn.
	batch = 8
)

// Left counts the passages that have no encoding.
func (s *Service) Left(ctx context.Context) (int, error) { return s.store.CountUnencoded(ctx) }

// Work encodes passages for less than a minute, a few of each workspace in turn, so
// that a large one holds no other up. It rests for as long as it works, since people ask
// questions meanwhile. A workspace that fails is left out until the next call.
func (s *Service) Work(ctx context.Context) error {
	until := s.now().Add(workTime)
	var failures []error
	var failed []string
	for {
		workspaces, err := s.store.WorkspacesUnencoded(ctx)
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
			if err := s.encode(ctx, workspaceID); err != nil {
				failed, failures = append(failed, workspaceID), append(failures, err)
			}
			s.rest(ctx, s.now().Sub(began))
		}
	}
}

// encode encodes a few passages of a workspace.
func (s *Service) encode(ctx context.Context, workspaceID string) error {
	passages, err := s.store.Unencoded(ctx, workspaceID, batch)
	if err != nil {
		return err
	}
	made, err := s.encoder.Encode(ctx, passages)
	if err != nil {
		return err
	}
	encodings := make(map[int64]retrieval.Encoding, len(made))
	for i, p := range passages {
		encodings[p.ID] = made[i]
	}
	return s.store.SaveEncodings(ctx, workspaceID, encodings)
}
