package bodies

import (
	"context"
	"sync"
	"time"

	"parley/core/fault"
)

// Requests that take much more memory while they are answered than their answers take, such
// as those for a whole document or a long conversation, run six at once, and two of a client.
const (
	heavyAtOnce   = 6
	heavyOfClient = 2
	// heavyWaiting is how many of a client may wait.
	heavyWaiting = 20
	// heavyPatience is how long one waits.
	heavyPatience = 5 * time.Second
)

var (
	errTooManyHeavyOfClient = &fault.Error{
		Kind: fault.RateLimited, RetryAfter: retryAfter,
		Message: "Your network is asking for too many large answers at once. Try again in a few seconds.",
	}
	errTooManyHeavy = (&fault.Error{
		Kind: fault.Unavailable, RetryAfter: retryAfter,
		Message: "The server is making too many large answers. Try again in a few seconds.",
	}).Named(fault.Overloaded)
)

// turns are the slots of heavy requests.
type turns struct {
	all     chan struct{}
	mu      sync.Mutex
	clients map[string]*clientTurns
}

// clientTurns are those of a client, while it has requests.
type clientTurns struct {
	slots    chan struct{}
	requests int
}

var heavy = newTurns()

func newTurns() *turns {
	return &turns{all: make(chan struct{}, heavyAtOnce), clients: map[string]*clientTurns{}}
}

// Heavily runs a heavy request of a client, when it is its turn. It is RateLimited or
// Unavailable if that does not come in time. Nothing in it may call another server.
func Heavily(ctx context.Context, client string, do func() error) error {
	ctx, cancel := context.WithTimeout(ctx, heavyPatience)
	defer cancel()
	own, err := heavy.enter(client)
	if err != nil {
		return err
	}
	defer heavy.leave(client, own)
	if !take(ctx, own.slots) {
		return errTooManyHeavyOfClient
	}
	defer func() { <-own.slots }()
	if !take(ctx, heavy.all) {
		return errTooManyHeavy
	}
	defer func() { <-heavy.all }()
	return do()
}

func (t *turns) enter(client string) (*clientTurns, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	own := t.clients[client]
	if own == nil {
		own = &clientTurns{slots: make(chan struct{}, heavyOfClient)}
		t.clients[client] = own
	}
	if own.requests >= heavyOfClient+heavyWaiting {
		return nil, errTooManyHeavyOfClient
	}
	own.requests++
	return own, nil
}

func (t *turns) leave(client string, own *clientTurns) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if own.requests--; own.requests == 0 {
		delete(t.clients, client)
	}
}

// take takes a slot, and reports whether there was one in time.
func take(ctx context.Context, slots chan struct{}) bool {
	select {
	case slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}
