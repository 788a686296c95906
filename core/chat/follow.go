package chat

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"parley/core/chatbot"
	"parley/core/fault"
)

const (
	// followPoll is how often a turn that another process carries out is
	// looked at.
	followPoll = 150 * time.Millisecond
	// pieceBytes bounds the pieces of a text that is there already.
	pieceBytes = 4 << 10
)

var (
	errInterrupted = fault.New(fault.Upstream, "The answer was interrupted before its end. Send the message again.")
	errHasFailed   = fault.New(fault.Upstream, "The answer failed. Send the message again.")
	errBegunAgain  = fault.New(fault.Conflict, "The answer was begun again and is not the one of which you have the beginning. Read it from its beginning, without Last-Event-ID.")
	errNoAnswer    = fault.New(fault.NotFound, "The conversation has no answer yet. Send a message first.")
)

// Resume returns the turn that a position is of, or the last of the
// conversation without one; [Turn.Run] gives what comes after the position,
// whether the turn is being generated, here or by another process, or has ended.
// Its failures are NotFound (the conversation, or it has no turn), Invalid (the
// position is not of this conversation) and Conflict (the answer was begun again
// since).
func (s *Service) Resume(ctx context.Context, p *chatbot.Principal, ref Ref, from *Position) (*Turn, error) {
	conversation, err := s.conversation(ctx, p, ref)
	if err != nil {
		return nil, err
	}
	var at Position
	if from != nil {
		at = *from
	}
	stored, err := s.store.Turn(ctx, p.Chatbot.WorkspaceID, conversation.ID, at.AnswerID)
	if fault.Is(err, fault.NotFound) {
		if from != nil {
			return nil, ErrNoPosition
		}
		return nil, errNoAnswer
	}
	if err != nil {
		return nil, err
	}
	if from == nil {
		at = Position{AnswerID: stored.Answer.MessageID, Attempt: stored.Answer.Attempt}
	}
	turn := &Turn{Conversation: conversation, AnswerID: at.AnswerID, From: at, service: s}
	if stored.Delivery != nil {
		turn.Delivery = *stored.Delivery
	}
	return turn, s.checkPosition(at, stored)
}

// checkPosition refuses one that is not in the answer. What has an id was
// stored before it was sent.
func (s *Service) checkPosition(at Position, stored StoredTurn) error {
	if at.Attempt != stored.Answer.Attempt {
		return errBegunAgain
	}
	text := stored.Answer.Text
	if r := s.runOf(at.AnswerID); r != nil && len(r.readable()) > len(text) {
		text = r.readable()
	}
	if at.Offset > len(text) || !startsRune(text, at.Offset) {
		return ErrNoPosition
	}
	return nil
}

func startsRune(text string, offset int) bool {
	return offset == len(text) || utf8.RuneStart(text[offset])
}

// follower reads a turn that it does not carry out.
type follower struct {
	service *Service
	turn    *Turn
	emit    func(Event) error
	from    Position
	// hasRead says that something of the answer was emitted, and elsewhere that
	// this process does not carry the turn out.
	hasRead, elsewhere bool
}

// follow emits what comes after a position, and returns the answer when it has
// ended.
func (f *follower) follow(ctx context.Context) (Answer, error) {
	f.elsewhere = false
	if r := f.turn.run; r != nil {
		return f.read(ctx, r)
	}
	if r := f.service.runOf(f.turn.AnswerID); r != nil && r.join() {
		return f.read(ctx, r)
	}
	f.elsewhere = true
	return f.poll(ctx)
}

// read follows a run of this process, which counts it among its readers.
func (f *follower) read(ctx context.Context, r *run) (answer Answer, err error) {
	var cause error
	defer func() { r.part(cause) }()
	if err := f.sameAttempt(r.attempt); err != nil {
		return Answer{}, err
	}
	for notices := 0; ; {
		ended := r.hasEnded()
		notice, piece, more := r.next(notices, f.from.Offset)
		switch {
		case notice != "":
			notices++
			err = f.give(Waiting, notice)
		case piece != "":
			err = f.give(Delta, piece)
		case ended:
			return r.answer, r.err
		default:
			select {
			case <-more:
			case <-r.done:
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

// poll follows a turn that this process does not carry out, in the database.
func (f *follower) poll(ctx context.Context) (Answer, error) {
	for {
		stored, err := f.service.store.Turn(ctx, f.turn.Conversation.WorkspaceID, f.turn.Conversation.ID, f.turn.AnswerID)
		if err != nil {
			return Answer{}, err
		}
		answer := stored.Answer
		if err := f.sameAttempt(answer.Attempt); err != nil {
			return Answer{}, err
		}
		if answer.Status == Interrupted && f.turn.again != nil && !f.hasRead {
			return answer, errInterrupted // it is begun again, and its text is not read
		}
		if err := f.catchUp(answer.Text); err != nil {
			return answer, err
		}
		if answer.Status != Generating {
			return answer, errorOf(answer.Status)
		}
		if !sleep(ctx, followPoll) {
			return answer, context.Cause(ctx)
		}
	}
}

// errorOf is what the reader of an answer is told that ended so, some time ago.
func errorOf(status Status) error {
	switch status {
	case Interrupted:
		return errInterrupted
	case Failed:
		return errHasFailed
	}
	return nil
}

// sameAttempt sees to it that nobody reads the beginning of one attempt and the
// end of another.
func (f *follower) sameAttempt(attempt int) error {
	if f.from.Attempt != attempt && f.from.Offset > 0 {
		return errBegunAgain
	}
	f.from.Attempt = attempt
	return nil
}

// catchUp emits what a text has beyond what was read.
func (f *follower) catchUp(text string) error {
	for f.from.Offset < len(text) {
		rest := text[f.from.Offset:]
		n := min(len(rest), pieceBytes)
		for n < len(rest) && !utf8.RuneStart(rest[n]) {
			n--
		}
		if err := f.give(Delta, rest[:n]); err != nil {
			return err
		}
	}
	return nil
}

func (f *follower) give(kind EventKind, text string) error {
	if kind == Delta {
		f.from.Offset += len(text)
		f.hasRead = f.emit != nil
	}
	if f.emit == nil {
		return nil
	}
	return f.emit(Event{kind, text, Position{AnswerID: f.from.AnswerID, Attempt: f.from.Attempt, Offset: f.from.Offset}})
}

// join counts a reader, unless the run has ended or is about to.
func (r *run) join() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hasEnded() || r.ending != nil {
		return false
	}
	r.readers++
	return true
}

// part is called by a reader that leaves, with the reason if it leaves early. A
// run that nobody reads ends, unless it is to last. So does one whose reader
// must not read on.
func (r *run) part(cause error) {
	r.mu.Lock()
	r.readers--
	alone := r.readers == 0 && !r.lasting && r.apart()
	r.mu.Unlock()
	if cause != nil && (alone || !errors.Is(cause, ErrLeft)) {
		r.end(cause)
	}
}

func (r *run) hasEnded() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// next returns a notice or a piece that a reader has not had, or what tells
// when there is one.
func (r *run) next(notices, offset int) (notice, piece string, more <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if notices < len(r.notices) {
		return r.notices[notices], "", nil
	}
	if offset < r.shown {
		return "", r.text.String()[offset:r.shown], nil
	}
	if r.more == nil {
		r.more = make(chan struct{})
	}
	return "", "", r.more
}

// readable is what readers may have of the answer.
func (r *run) readable() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()[:r.shown]
}

// soFar is what was generated.
func (r *run) soFar() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// grow adds to what was generated, and returns how long that is.
func (r *run) grow(kind EventKind, text string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case kind == Waiting:
		if !r.apart() {
			return r.text.Len()
		}
		r.notices = append(r.notices, text)
	default:
		r.text.WriteString(text)
		if r.lasting {
			signal(r.unsaved)
			return r.text.Len()
		}
		r.shown = r.text.Len()
	}
	r.wake()
	return r.text.Len()
}

// show lets so much of the answer be read.
func (r *run) show(length int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shown = max(r.shown, length)
	r.wake()
}

// wake tells the readers. It is called with the lock held.
func (r *run) wake() {
	if r.more != nil {
		close(r.more)
		r.more = nil
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
