package turn

import (
	"context"
	"time"
	"unicode/utf8"

	"parley/core/chat"
)

const (
	// followPoll is how often the subscriber checks a turn that another process
	// executes.
	followPoll = 150 * time.Millisecond
	// pieceBytes bounds the pieces in which existing text is sent.
	pieceBytes = 4 << 10
)

// subscriber reads a turn that another goroutine or process executes.
type subscriber struct {
	service *Service
	turn    *Turn
	emit    func(Event) error
	from    Position
	// hasRead says that the subscriber has emitted some of the answer.
	// elsewhere says that another process executes the turn, or that none does.
	hasRead, elsewhere bool
}

// read emits what comes after a position, and returns the answer when it has
// ended.
func (s *subscriber) read(ctx context.Context) (Answer, error) {
	s.elsewhere = false
	if a := s.turn.attempt; a != nil {
		return s.follow(ctx, a)
	}
	if a := s.service.running.of(s.turn.AnswerID); a != nil && a.join() {
		return s.follow(ctx, a)
	}
	s.elsewhere = true
	return s.poll(ctx)
}

// follow reads an attempt of this process, which counts its subscribers.
func (s *subscriber) follow(ctx context.Context, a *attempt) (answer Answer, err error) {
	var cause error
	defer func() { a.leave(cause) }()
	if err := s.sameAttempt(a.number); err != nil {
		return Answer{}, err
	}
	for notices := 0; ; {
		ended := a.published.ended()
		notice, piece, more := a.published.next(notices, s.from.Offset)
		switch {
		case notice != "":
			notices++
			err = s.give(Waiting, notice)
		case piece != "":
			err = s.give(Delta, piece)
		case ended:
			return a.result()
		default:
			select {
			case <-more:
			case <-a.published.done:
			case <-ctx.Done():
				err = context.Cause(ctx)
			}
		}
		if err != nil {
			cause = err
			return Answer{}, err
		}
	}
}

// poll reads a turn that this process does not execute, from the database.
func (s *subscriber) poll(ctx context.Context) (Answer, error) {
	for {
		stored, err := s.service.Turns.Turn(ctx, s.turn.Conversation.WorkspaceID, s.turn.Conversation.ID, s.turn.AnswerID)
		if err != nil {
			return Answer{}, err
		}
		answer := stored.Answer
		if err := s.sameAttempt(answer.Attempt); err != nil {
			return Answer{}, err
		}
		if answer.Status == chat.Interrupted && s.turn.again != nil && !s.hasRead {
			return answer, errInterrupted // it is begun again, and its text is not read
		}
		if err := s.catchUp(answer.Text); err != nil {
			return answer, err
		}
		if answer.Status != chat.Generating {
			return answer, errorOf(answer.Status)
		}
		if !sleep(ctx, followPoll) {
			return answer, context.Cause(ctx)
		}
	}
}

// errorOf is the error that a subscriber gets for the status of an answer that
// has ended.
func errorOf(status chat.Status) error {
	switch status {
	case chat.Interrupted:
		return errInterrupted
	case chat.Failed:
		return errHasFailed
	}
	return nil
}

// sameAttempt prevents a reader from getting the beginning of one attempt and
// the end of another.
func (s *subscriber) sameAttempt(attempt int) error {
	if s.from.Attempt != attempt && s.from.Offset > 0 {
		return errRestarted
	}
	s.from.Attempt = attempt
	return nil
}

// catchUp emits what a text has beyond what the subscriber has read.
func (s *subscriber) catchUp(text string) error {
	for s.from.Offset < len(text) {
		rest := text[s.from.Offset:]
		n := min(len(rest), pieceBytes)
		for n < len(rest) && !utf8.RuneStart(rest[n]) {
			n--
		}
		if err := s.give(Delta, rest[:n]); err != nil {
			return err
		}
	}
	return nil
}

func (s *subscriber) give(kind EventKind, text string) error {
	if kind == Delta {
		s.from.Offset += len(text)
		s.hasRead = s.emit != nil
	}
	if s.emit == nil {
		return nil
	}
	return s.emit(Event{kind, text, Position{AnswerID: s.from.AnswerID, Attempt: s.from.Attempt, Offset: s.from.Offset}})
}
