package chat

import (
	"context"
	"errors"
	"sync"
	"time"

	"parley/core/fault"
)

// Turns of one conversation are answered one after the other. A second waits
// for turnWait, looking every turnPoll for a turn that another process runs.
const (
	turnWait = 30 * time.Second
	turnPoll = 100 * time.Millisecond
)

var errBusy = &fault.Error{
	Kind: fault.Conflict, RetryAfter: time.Second,
	Message: "The conversation is still answering an earlier message. Wait for its answer and try again.",
}

// queue lets one at a time through for each key, within this process: turns of
// a conversation, and requests with the same idempotency key. The database
// keeps those of other processes out.
type queue[K comparable] struct {
	mu    sync.Mutex
	lines map[K]*line
}

type line struct {
	turn    chan struct{}
	waiting int
}

func newQueue[K comparable]() *queue[K] { return &queue[K]{lines: map[K]*line{}} }

// enter waits for its turn and returns what ends it. It is a Conflict when
// ctx's deadline passes first.
func (q *queue[K]) enter(ctx context.Context, key K) (leave func(), err error) {
	l := q.join(key)
	select {
	case l.turn <- struct{}{}:
		return func() {
			<-l.turn
			q.part(key, l)
		}, nil
	case <-ctx.Done():
		q.part(key, l)
		return nil, gaveUp(ctx)
	}
}

func (q *queue[K]) join(key K) *line {
	q.mu.Lock()
	defer q.mu.Unlock()
	l, ok := q.lines[key]
	if !ok {
		l = &line{turn: make(chan struct{}, 1)}
		q.lines[key] = l
	}
	l.waiting++
	return l
}

func (q *queue[K]) part(key K, l *line) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if l.waiting--; l.waiting == 0 {
		delete(q.lines, key)
	}
}

// gaveUp tells a wait that ran out from a caller who went away.
func gaveUp(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return errBusy
	}
	return context.Cause(ctx)
}
