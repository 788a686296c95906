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
	// CountAttempt adds to the attempts at passages that began and did not end: see
	// [retrieval.Passage.Begun].
	CountAttempt(ctx context.Context, workspaceID string, passageIDs []int64, by int) error
	// SaveEncodings stores encodings by [retrieval.Passage.ID], whose attempts have ended. A passage that is gone
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

// mostBegun is how many attempts at a passage may end the process. Then it is stored as one of
// which nothing can be said: a search ranks it by its words.
const mostBegun = 3

// countingTime is how long a server that stops may take to take a count back.
const countingTime = 3 * time.Second

// next returns the passages to encode together, and those that are given up. Of those that were
// in work when the process ended, each is encoded alone: the next end tells which it was.
func next(passages []retrieval.Passage) (together, givenUp []retrieval.Passage) {
	for _, p := range passages {
		switch {
		case p.Begun >= mostBegun:
			givenUp = append(givenUp, p)
		case p.Begun == 0 || len(together) == 0:
			together = append(together, p)
			if p.Begun > 0 {
				return together, givenUp
			}
		}
	}
	return together, givenUp
}

// encode encodes a few passages of a chatbot, and reports whether these were the last. The
// attempt is counted before it begins, because a passage that ends the process would end every
// one that takes it up again.
func (s *Service) encode(ctx context.Context, chatbot retrieval.Scope) (done bool, err error) {
	passages, err := s.store.Unencoded(ctx, chatbot.WorkspaceID, chatbot.ChatbotID, batch)
	if err != nil {
		return false, err
	}
	together, givenUp := next(passages)
	encodings := make(map[int64]encode.Encoding, len(passages))
	for _, p := range givenUp {
		encodings[p.ID] = encode.New(nil)
	}
	if err := s.attempt(ctx, chatbot.WorkspaceID, together, encodings); err != nil {
		return false, err
	}
	return len(passages) < batch && len(encodings) == len(passages), nil
}

// attempt encodes passages, and stores their encodings with others.
func (s *Service) attempt(ctx context.Context, workspaceID string, passages []retrieval.Passage, encodings map[int64]encode.Encoding) error {
	ids := make([]int64, len(passages))
	for i, p := range passages {
		ids[i] = p.ID
	}
	if err := s.store.CountAttempt(ctx, workspaceID, ids, 1); err != nil {
		return err
	}
	made, err := s.encoder.Encode(ctx, passages)
	if err == nil {
		for i, id := range ids {
			encodings[id] = made[i]
		}
		err = s.store.SaveEncodings(ctx, workspaceID, encodings)
	}
	if err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), countingTime)
	defer cancel()
	return errors.Join(err, s.store.CountAttempt(ctx, workspaceID, ids, -1))
}
