// Package encoding has passages encoded after their documents are ready: a sentence encoder
// reads them, which takes its time. A search works without it, and better with it.
//
// It owns when passages are encoded, and for how long. It does not own how (port
// retrieval.Encoder), or what an encoding counts in a ranking (package retrieval).
package encoding

import (
	"context"
	"errors"
	"time"

	"parley/core/retrieval"
	"parley/core/system"
	"parley/text/encode"
)

// Store is the port to passages that have no encoding.
type Store interface {
	// ChatbotsUnencoded returns the chatbots that have such passages, grouped by workspace.
	ChatbotsUnencoded(ctx context.Context, access system.Access) ([]retrieval.Scope, error)
	// Unencoded returns such passages of a chatbot, the oldest first, at most limit.
	Unencoded(ctx context.Context, workspaceID, chatbotID string, limit int) ([]retrieval.Passage, error)
	// SaveEncodings stores encodings by [retrieval.Passage.ID]. A passage that is gone
	// is left out.
	SaveEncodings(ctx context.Context, workspaceID string, encodings map[int64]encode.Encoding) error
	// CountUnencoded counts such passages of all workspaces.
	CountUnencoded(ctx context.Context, access system.Access) (int, error)
}

// Encoder encodes passages and questions.
type Encoder interface {
	retrieval.Encoder
	// Warm makes ready for the first question.
	Warm() error
}

// Service encodes passages.
type Service struct {
	store   Store
	system  system.Access
	encoder Encoder
	now     func() time.Time
	pause   func(ctx context.Context, pause time.Duration)
}

// New returns a service over its ports. Pause waits for as long as the work took, or
// longer, and ends with ctx.
func New(store Store, access system.Access, encoder Encoder, now func() time.Time, pause func(context.Context, time.Duration)) *Service {
	return &Service{store, access, encoder, now, pause}
}

const (
	// batch is how many passages of a chatbot Work encodes before it encodes some of another.
	batch = 8
	// lookEvery is how often Work looks for passages of new documents.
	lookEvery = time.Second
	// lookShare times as long as a look took, no other look follows.
	lookShare = 20
)

// Warm makes ready for the first question, which takes about a second.
func (s *Service) Warm() error { return s.encoder.Warm() }

// Left counts the passages without an encoding.
func (s *Service) Left(ctx context.Context) (int, error) {
	return s.store.CountUnencoded(ctx, s.system)
}

// Work encodes passages until a time, including passages of documents that become ready
// meanwhile. It encodes a few for one workspace after the other, and within a workspace for
// one chatbot after the other, so that a large one does not hold up the others. It pauses in
// between, since people ask questions meanwhile. Whenever it looks for new passages, it tells left
// how many have no encoding. It leaves out a workspace that fails until the next call.
func (s *Service) Work(ctx context.Context, until time.Time, left func(passages int)) error {
	q := queue{failed: map[string]bool{}}
	var failures []error
	for s.now().Before(until) && ctx.Err() == nil {
		began := s.now()
		passages, err := s.look(ctx, &q)
		if err != nil {
			return errors.Join(errors.Join(failures...), err)
		}
		left(passages)
		if len(q.workspaces) == 0 {
			s.pause(ctx, lookEvery)
			continue
		}
		next := s.now().Add(max(lookEvery, lookShare*s.now().Sub(began)))
		if until.Before(next) {
			next = until
		}
		failures = append(failures, s.workOff(ctx, &q, next))
	}
	return errors.Join(failures...)
}

// look puts the chatbots that came since the last look into the queue, and counts the
// passages that have no encoding.
func (s *Service) look(ctx context.Context, q *queue) (passages int, err error) {
	chatbots, err := s.store.ChatbotsUnencoded(ctx, s.system)
	if err != nil {
		return 0, err
	}
	q.add(chatbots)
	return s.store.CountUnencoded(ctx, s.system)
}

// workOff encodes passages of the queue until it is empty, or until a time.
func (s *Service) workOff(ctx context.Context, q *queue, until time.Time) error {
	var failures []error
	for len(q.workspaces) > 0 {
		began := s.now()
		if !began.Before(until) || ctx.Err() != nil {
			break
		}
		chatbot := q.next()
		done, err := s.encode(ctx, chatbot)
		switch {
		case err != nil:
			failures = append(failures, err)
			q.leaveOut(chatbot.WorkspaceID)
		case !done:
			q.push(chatbot)
		}
		s.pause(ctx, s.now().Sub(began))
	}
	return errors.Join(failures...)
}

// encode encodes a few passages of a chatbot, and reports whether these were the last.
func (s *Service) encode(ctx context.Context, chatbot retrieval.Scope) (done bool, err error) {
	passages, err := s.store.Unencoded(ctx, chatbot.WorkspaceID, chatbot.ChatbotID, batch)
	if err != nil {
		return false, err
	}
	made, err := s.encoder.Encode(ctx, passages)
	if err != nil {
		return false, err
	}
	encodings := make(map[int64]encode.Encoding, len(made))
	for i, p := range passages {
		encodings[p.ID] = made[i]
	}
	return len(passages) < batch, s.store.SaveEncodings(ctx, chatbot.WorkspaceID, encodings)
}
