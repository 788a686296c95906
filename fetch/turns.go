package fetch

import (
	"context"
	"errors"
	"sync"
	"time"

	"parley/core/fault"
)

const (
	// maxHosts bounds what is remembered. A host is forgotten when its pause
	// is over, or when there are too many.
	maxHosts = 10_000
	// maxReaders is how many may be reading a host, or wait for it, at once:
	// another is refused, so that a slow host holds no more workers.
	maxReaders = 3
	// crowdedFor is when to come again to a host that has its readers.
	crowdedFor = 5 * time.Second
	// maxHold is the longest time that a host is left alone because it asked
	// for it with Retry-After.
	maxHold = time.Hour
)

// errNoTurn is the cause of a wait that took longer than it may.
var errNoTurn = errors.New("no turn within the longest wait")

// turns lets one request at a time go to each host, in the order in which they
// came, with a pause after each.
type turns struct {
	limit int

	mu    sync.Mutex
	hosts map[string]*host
	swept time.Time
	// readers counts those of each host, from before they ask for its
	// robots.txt.
	readers map[string]int
}

// host is one host's queue. Its fields but free are guarded by turns.mu.
type host struct {
	free  chan struct{} // holds a token while nobody has the turn
	users int           // those who wait or have the turn
	next  time.Time     // when the pause is over
}

func newTurns() *turns {
	return &turns{limit: maxHosts, hosts: make(map[string]*host), readers: make(map[string]int)}
}

// enter makes the caller one of a host's readers, until it leaves.
func (t *turns) enter(name string) (leave func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.readers[name] >= maxReaders {
		return nil, leftAlone(crowdedFor)
	}
	t.readers[name]++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.readers[name]--; t.readers[name] == 0 {
			delete(t.readers, name)
		}
	}, nil
}

// take waits for the turn of a host, no longer than it may. Whoever has it gives
// it back with leave, and says how long the pause is to be.
func (t *turns) take(ctx context.Context, name string, longest time.Duration) (leave func(pause time.Duration), err error) {
	h, err := t.join(name, longest)
	if err != nil {
		return nil, err
	}
	waiting, cancel := context.WithTimeoutCause(ctx, longest, errNoTurn)
	defer cancel()
	select {
	case <-h.free:
	case <-waiting.Done():
		t.quit(h)
		return nil, t.refusal(waiting, h, longest)
	}
	if err := sleep(waiting, t.pause(h)); err != nil {
		t.quit(h)
		h.free <- struct{}{}
		return nil, t.refusal(waiting, h, longest)
	}
	return func(pause time.Duration) {
		t.rest(h, pause)
		h.free <- struct{}{}
	}, nil
}

// join adds a user to a host. A host that is to be left alone for longer than
// anybody waits refuses at once.
func (t *turns) join(name string, longest time.Duration) (*host, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := t.hosts[name]
	if h == nil {
		if !t.makeRoom() {
			return nil, fault.Wrap(fault.RateLimited, errNoTurn, "Too many sites are being read at this moment; the page is tried again later.")
		}
		h = &host{free: make(chan struct{}, 1)}
		h.free <- struct{}{}
		t.hosts[name] = h
	}
	if left := time.Until(h.next); left > longest {
		return nil, leftAlone(left)
	}
	h.users++
	return h, nil
}

func (t *turns) quit(h *host) {
	t.mu.Lock()
	defer t.mu.Unlock()
	h.users--
}

// rest begins the pause that follows a request.
func (t *turns) rest(h *host, pause time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	h.users--
	h.next = time.Now().Add(min(pause, maxHold))
}

func (t *turns) pause(h *host) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Until(h.next)
}

// refusal says why there was no turn.
func (t *turns) refusal(ctx context.Context, h *host, longest time.Duration) error {
	if !errors.Is(context.Cause(ctx), errNoTurn) {
		return stopped(ctx)
	}
	return leftAlone(max(t.pause(h), longest))
}

// leftAlone is the answer to those who would have to wait for too long.
func leftAlone(left time.Duration) error {
	return &fault.Error{
		Kind: fault.RateLimited, RetryAfter: left, Cause: errNoTurn,
		Message: "The site is read slowly, as it asks for or as others of its pages wait; the page is tried again later.",
	}
}

// makeRoom forgets hosts until another fits. What is not in use and past its
// pause says nothing; if that is not enough, a pause is cut short.
func (t *turns) makeRoom() bool {
	if len(t.hosts) < t.limit {
		return true
	}
	now := time.Now()
	if now.Sub(t.swept) >= time.Second {
		t.swept = now
		for name, h := range t.hosts {
			if h.users == 0 && !h.next.After(now) {
				delete(t.hosts, name)
			}
		}
	}
	for name, h := range t.hosts {
		if len(t.hosts) < t.limit {
			break
		}
		if h.users == 0 {
			delete(t.hosts, name)
		}
	}
	return len(t.hosts) < t.limit
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
