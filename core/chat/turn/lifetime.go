package turn

import (
	"context"
	"sync"
)

// lifetime ends an attempt. It is safe for concurrent use.
type lifetime struct {
	mu     sync.Mutex
	cancel context.CancelCauseFunc
	ending error
	ended  bool
	// left is called at the end, unless nil: see [Ask.Admit].
	left func()
}

// withCancel returns a context that ends with another one, and when the attempt
// is told to end.
func (l *lifetime) withCancel(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	l.mu.Lock()
	before, ending := l.cancel, l.ending
	l.cancel = cancel
	l.mu.Unlock()
	if before != nil {
		before(nil)
	}
	if ending != nil {
		cancel(ending)
	}
	return ctx
}

// end has the attempt end with a cause. The first one counts.
func (l *lifetime) end(cause error) {
	l.mu.Lock()
	if l.ending == nil {
		l.ending = cause
	}
	cancel, cause := l.cancel, l.ending
	l.mu.Unlock()
	if cancel != nil {
		cancel(cause)
	}
}

// causeOfEnd is why the attempt was to end, or nil.
func (l *lifetime) causeOfEnd() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ending
}

// over ends the context, and reports whether this is the first call.
func (l *lifetime) over() (first bool) {
	l.mu.Lock()
	cancel := l.cancel
	first, l.ended = !l.ended, true
	l.mu.Unlock()
	if cancel != nil {
		cancel(nil)
	}
	return first
}
