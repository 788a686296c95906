package chat

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"parley/core/chatbot"
)

// Turn is a question that has been stored and awaits its answer, or the
// answer that it has got already. Exactly one of [Turn.Run] and [Turn.Abandon]
// is to be called.
type Turn struct {
	Conversation Conversation
	AnswerID     int64
	// Delivery is as it was asked for; for a turn that is resumed, as it was
	// asked for first.
	Delivery Delivery
	// From is where the reader is: at the beginning, unless it resumes.
	From Position

	service *Service
	// run is nil for a turn that others carry out, or that has ended.
	run *run
	// again is what to do about such a turn when it is interrupted before
	// anything of it was read; nil leaves it so.
	again func(ctx context.Context, turn *Turn) error
}

// Event is something that happens while a turn runs.
type Event struct {
	Kind EventKind
	// Text is a piece of the Markdown answer, or a message for a person.
	Text string
	// At is where a reader is who has seen the event.
	At Position
}

// EventKind says what an event is.
type EventKind string

// The kinds of event.
const (
	// Delta is a piece of the answer.
	Delta EventKind = "delta"
	// Waiting says what the turn is about before the answer goes on.
	Waiting EventKind = "waiting"
)

// ErrLeft is to be the cause of a context that ends because the caller has gone.
// A turn that others wait for, or that can be resumed, goes on without it; see
// [Turn.Run].
var ErrLeft = errors.New("the caller has gone")

// Begin stores the question and retrieves what answers it. With a key that was
// used before it returns the turn which that began, unless it was interrupted
// or failed: then its answer is begun again.
//
// Its failures are Invalid, NotFound (the conversation), Conflict (the
// conversation is busy, or the key was used for another request), RateLimited
// (the messages of the month are used up) and Upstream (retrieval). A ctx that
// ends fails it with the cause of ctx.
func (s *Service) Begin(ctx context.Context, p *chatbot.Principal, ask Ask) (*Turn, error) {
	if err := checkAsk(p, ask); err != nil {
		return nil, err
	}
	turn := &Turn{service: s, Delivery: ask.Delivery}
	// Not on the caller's goroutine: a stream's lives on, and would keep the
	// stack that this needs.
	begun := make(chan error, 1)
	go func() {
		begun <- protect(func() error {
			if ask.Key != nil {
				return s.beginOnce(ctx, p, ask, turn)
			}
			return s.begin(ctx, p, ask, turn)
		})
	}()
	err := <-begun
	if turn.run != nil && turn.run.causeOfEnd() != nil {
		err = turn.run.causeOfEnd()
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil { // after a panic, too: the conversation must not stay busy
		turn.Abandon(ctx)
		return nil, err
	}
	return turn, nil
}

// Abandon ends a turn that will not be run.
func (t *Turn) Abandon(ctx context.Context) {
	if t.run != nil {
		t.run.abandon(ctx)
	}
}

// Run generates the answer, calling emit with each event, and stores it; or it
// follows who does, or gives what is stored. With no emit the model need not
// stream. The answer is returned with the error, too: it has what was generated
// until then. That of a turn that was stopped comes without an error.
//
// An error of emit, or a ctx that ends, interrupts the generation, unless that
// goes on without this caller: because others follow it, or because it can be
// resumed. The cause of ctx is the error then.
func (t *Turn) Run(ctx context.Context, emit func(Event) error) (Answer, error) {
	if t.run == nil || t.run.apart() {
		return t.follow(ctx, emit)
	}
	t.run.carryOut(t.run.under(ctx), emit)
	return t.run.answer, t.run.err
}

// follow gives what another goroutine or process says, or what is stored.
func (t *Turn) follow(ctx context.Context, emit func(Event) error) (Answer, error) {
	f := follower{service: t.service, turn: t, emit: emit, from: t.From}
	for {
		if t.run != nil {
			t.run.setOut(ctx, emit == nil)
		}
		answer, err := f.follow(ctx)
		lost := f.elsewhere || errors.Is(err, errAbandoned)
		if t.again == nil || !lost || answer.Status != Interrupted || f.hasRead || ctx.Err() != nil {
			return answer, err
		}
		if err := t.again(ctx, t); err != nil {
			t.Abandon(ctx)
			return answer, err
		}
		f.from = t.From
	}
}

// protect turns a panic into an error: on a goroutine of its own it would end
// the process.
func protect(do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return do()
}
