package chat

import (
	"context"
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

// queue lets one turn of a conversation at a time through, within this
// process. The database keeps the turns of other processes out.
type queue struct {
	mu    sync.Mutex
	lines map[int64]*line
}

type line struct {
	turn    chan struct{}
	waiting int
}

func newQueue() *queue { return &queue{lines: map[int64]*line{}} }

// enter waits for its turn and returns what ends it. It is a Conflict when
// ctx's deadline passes first.
func (q *queue) enter(ctx context.Context, conversationID int64) (leave func(), err error) {
	l := q.join(conversationID)
	select {
	case l.turn <- struct{}{}:
		return func() {
			<-l.turn
			q.part(conversationID, l)
		}, nil
	case <-ctx.Done():
		q.part(conversationID, l)
		return nil, gaveUp(ctx)
	}
}

func (q *queue) join(conversationID int64) *line {
	q.mu.Lock()
	defer q.mu.Unlock()
	l, ok := q.lines[conversationID]
	if !ok {
		l = &line{turn: make(chan struct{}, 1)}
		q.lines[conversationID] = l
	}
	l.waiting++
	return l
}

func (q *queue) part(conversationID int64, l *line) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if l.waiting--; l.waiting == 0 {
		delete(q.lines, conversationID)
	}
}

// gaveUp tells a wait that ran out from a caller who went away.
func gaveUp(ctx context.Context) error {
	if context.Cause(ctx) == context.DeadlineExceeded {
		return errBusy
	}
	return context.Cause(ctx)
}
