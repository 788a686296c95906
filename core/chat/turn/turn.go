// Package turn owns the life of a turn, which is a question with its answer: it
// begins, leases, publishes, resumes and stops an answer. A turn is executed
// once, however often it was asked for.
//
// How an answer is made is in package answer. What is kept of a turn, and for how
// long, is in package chat.
package turn

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"parley/core/answer"
	"parley/core/chat"
	"parley/text/markdown"
)

// Turn is a question that has been stored and awaits its answer, or already has
// it. Call exactly one of [Turn.Run] and [Turn.Abandon].
type Turn struct {
	Conversation chat.Conversation
	AnswerID     int64
	// Delivery is as the caller asked for it; for a turn that is resumed, as
	// its first caller did.
	Delivery Delivery
	// From is where the subscriber is: at the beginning, unless it resumes.
	From Position

	service *Service
	// attempt is nil for a turn that another process executes, or that has
	// ended.
	attempt *attempt
	// again begins such a turn again if it is interrupted before the caller has
	// read any of it; nil leaves it interrupted.
	again func(ctx context.Context) error
}

// Answer is how a turn ended, or one attempt at it.
type Answer struct {
	answer.Answer
	MessageID int64
	// Attempt counts, from 1, how often the answer was begun.
	Attempt int
	Status  chat.Status
	// Outcome is empty while the answer is being generated.
	Outcome chat.Outcome
	// ConversationID and Origin are the conversation's. Opens says that the
	// question was the first in it.
	ConversationID int64
	Origin         chat.Origin
	Opens          bool
}

// Delivery is how a caller wants an answer. It is kept with a stream that can
// be resumed, so that a caller who resumes it gets the same.
type Delivery struct {
	Format markdown.Format
	// IDs makes the stream one that can be resumed: each event is stored
	// before it is sent, and the turn goes on when nobody listens.
	IDs bool
	// Usage, Sources and Suggestions ask for these events.
	Usage, Sources, Suggestions bool
}

// Event is something that happens while a turn runs.
type Event struct {
	Kind EventKind
	// Text is a piece of the Markdown answer, or a message for a person.
	Text string
	// At is the position of a subscriber that has read the event.
	At Position
}

// EventKind says what an event is.
type EventKind string

// The kinds of event.
const (
	// Delta is a piece of the answer.
	Delta EventKind = "delta"
	// Waiting says what the turn does before the answer continues.
	Waiting EventKind = "waiting"
)

// ErrLeft is the cause to end a context with when the caller has left. A turn
// that others wait for, or that can be resumed, goes on without that caller;
// see [Turn.Run].
var ErrLeft = errors.New("the caller has gone")

// Abandon ends a turn that will not be run.
func (t *Turn) Abandon(ctx context.Context) {
	if t.attempt != nil {
		t.attempt.abandon(ctx, nil)
	}
}

// Run generates the answer, calling emit with each event, and stores it. If the
// answer is being generated elsewhere, or is stored, Run reads it. With no emit
// the model need not stream. The answer is returned with the error, too: it has
// what was generated until then. The answer of a turn that was stopped comes
// without an error.
//
// An error of emit, or a ctx that ends, interrupts the generation, unless that
// goes on without this caller: because others read it, or because it can be
// resumed. The cause of ctx is the error then.
func (t *Turn) Run(ctx context.Context, emit func(Event) error) (Answer, error) {
	if t.attempt == nil || t.attempt.detached() {
		return t.read(ctx, emit)
	}
	t.attempt.execute(t.attempt.withCancel(ctx), emit, emit == nil)
	return t.attempt.result()
}

// read reads an answer that another goroutine or process generates, or that is
// stored.
func (t *Turn) read(ctx context.Context, emit func(Event) error) (Answer, error) {
	s := subscriber{service: t.service, turn: t, emit: emit, from: t.From}
	for {
		if t.attempt != nil {
			t.attempt.start(ctx, emit == nil)
		}
		answer, err := s.read(ctx)
		lost := s.elsewhere || errors.Is(err, errAbandoned)
		if t.again == nil || !lost || answer.Status != chat.Interrupted || s.hasRead || ctx.Err() != nil {
			return answer, err
		}
		if err := t.again(ctx); err != nil {
			t.Abandon(ctx)
			return answer, err
		}
		s.from = t.From
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
