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
	"parley/internal/id"
)

// Store is the port to passages that have no encoding.
type Store interface {
	// ChatbotsUnencoded returns the chatbots that have such passages, those of a
	// workspace together.
	ChatbotsUnencoded(ctx context.Context) ([]retrieval.Scope, error)
	// Unencoded returns such passages of a chatbot, the oldest first, at most limit.
	Unencoded(ctx context.Context, workspaceID, chatbotID string, limit int) ([]retrieval.Passage, error)
	// SaveEncodings stores encodings by [retrieval.Passage.ID]. A passage that is gone
	// is left out.
	SaveEncodings(ctx context.Context, workspaceID string, encodings map[int64]retrieval.Encoding) error
	// CountUnencoded counts such passages of all workspaces.
	CountUnencoded(ctx context.Context) (int, error)
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
	encoder Encoder
	now     func() time.Time
	rest    func(ctx context.Context, pause time.Duration)
}

// New returns a service over its ports. Rest pauses for as long as the work took, or
// longer, and ends with ctx.
func New(store Store, encoder Encoder, now func() time.Time, rest func(context.Context, time.Duration)) *Service {
	return &Service{store, encoder, now, rest}
}

const (
	// workTime is how long one call works: less than a minute, after which another
	// process may have its turn.
	workTime = 50 * time.Second
	// batch is how many passages of a chatbot are encoded before another has its turn.
	batch = 8
)

// Warm makes ready for the first question, which takes about a second.
func (s *Service) Warm() error { return s.encoder.Warm() }

// Left counts the passages that have no encoding.
func (s *Service) Left(ctx context.Context) (int, error) { return s.store.CountUnencoded(ctx) }

// Work encodes passages for less than a minute, a few of each workspace in turn, and of
// each of its chatbots in turn, so that a large one holds no other up. It rests in
// between, since people ask questions meanwhile. A workspace that fails is left
// out until the next call.
func (s *Service) Work(ctx context.Context) error {
	until := s.now().Add(workTime)
	chatbots, err := s.store.ChatbotsUnencoded(ctx)
	if err != nil {
		return err
	}
	var failures []error
	for turns := inTurn(chatbots); len(turns) > 0; {
		var next []turn
		for _, t := range turns {
			began := s.now()
			if !began.Before(until) || ctx.Err() != nil {
				return errors.Join(failures...)
			}
			done, err := s.encode(ctx, t[0])
			switch rest := t[1:]; {
			case err != nil:
				failures = append(failures, err)
			case !done:
				next = append(next, append(rest, t[0]))
			case len(rest) > 0:
				next = append(next, rest)
			}
			s.rest(ctx, s.now().Sub(began))
		}
		turns = next
	}
	return errors.Join(failures...)
}

// turn is the chatbots of a workspace, in the order of their turns.
type turn []retrieval.Scope

func inTurn(chatbots []retrieval.Scope) (turns []turn) {
	for _, c := range chatbots {
		switch last := len(turns) - 1; {
		case id.IsThrowAway(c.WorkspaceID):
		case last >= 0 && turns[last][0].WorkspaceID == c.WorkspaceID:
			turns[last] = append(turns[last], c)
		default:
			turns = append(turns, turn{c})
		}
	}
	return turns
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
	encodings := make(map[int64]retrieval.Encoding, len(made))
	for i, p := range passages {
		encodings[p.ID] = made[i]
	}
	return len(passages) < batch, s.store.SaveEncodings(ctx, chatbot.WorkspaceID, encodings)
}
