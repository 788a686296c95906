package turn

import (
	"context"
	"errors"
	"sync"
	"time"

	"parley/core/fault"
)

// Turns of one conversation are answered one after the other. A second one
// waits for up to queueWait, and looks every queuePoll whether another process
// is still answering.
const (
	queueWait = 30 * time.Second
	queuePoll = 100 * time.Millisecond
)

var errBusy = (&fault.Error{
	Kind: fault.Conflict, RetryAfter: time.Second,
	Message: "The conversation is still answering an earlier message. Wait for its answer and try again.",
}).Named(fault.ConversationBusy)

// queue lets one caller at a time through for each key, within this process:
// turns of a conversation, and requests with the same idempotency key. The
// database keeps this process's callers apart from the callers of other processes.
type queue[K comparable] struct {
	mu    sync.Mutex
	lines map[K]*line
}

type line struct {
	slot    chan struct{}
	waiting int
}

func newQueue[K comparable]() *queue[K] { return &queue[K]{lines: map[K]*line{}} }

// enter waits for the slot of a key and returns what frees it. It is a Conflict when
// ctx's deadline passes first.
func (q *queue[K]) enter(ctx context.Context, key K) (leave func(), err error) {
	l := q.join(key)
	select {
	case l.slot <- struct{}{}:
		return func() {
			<-l.slot
			q.leave(key, l)
		}, nil
	case <-ctx.Done():
		q.leave(key, l)
		return nil, gaveUp(ctx)
	}
}

func (q *queue[K]) join(key K) *line {
	q.mu.Lock()
	defer q.mu.Unlock()
	l, ok := q.lines[key]
	if !ok {
		l = &line{slot: make(chan struct{}, 1)}
		q.lines[key] = l
	}
	l.waiting++
	return l
}

func (q *queue[K]) leave(key K, l *line) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if l.waiting--; l.waiting == 0 {
		delete(q.lines, key)
	}
}

// gaveUp distinguishes a wait that ran out from a caller that left.
func gaveUp(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return errBusy
	}
	return context.Cause(ctx)
}
