package fetch

import (
	"context"
	"errors"
	"sync"
	"time"

	"parley/core/fault"
	"parley/fetch/hosts"
)

const (
	// maxHosts bounds the hosts that slots remembers. It forgets a host when the
	// host's pause is over, or when there are too many.
	maxHosts = 10_000
	// maxReaders is how many callers may read a host, or wait for it, at once.
	// More are refused, so that a slow host occupies no more workers.
	maxReaders = 3
	// crowdedFor is how long a caller refused because of maxReaders should wait.
	crowdedFor = 5 * time.Second
	// maxHold is the longest pause that a host can request with Retry-After.
	maxHold = time.Hour
)

// errNoSlot is the cause of the failure if a caller has waited too long.
var errNoSlot = errors.New("no slot within the longest wait")

// slots lets one request at a time go to each host, in the order of the callers,
// with a pause after each. Other processes read in between.
type slots struct {
	limit  int
	shared hosts.Shared

	mu    sync.Mutex
	hosts map[string]*host
	swept time.Time
	// readers counts the readers of each host. A caller is a reader before it
	// asks for the host's robots.txt.
	readers map[string]int
}

// host is one host's queue. Its fields but free are guarded by slots.mu.
type host struct {
	free  chan struct{} // holds a token while the slot is free
	users int           // callers that wait for the slot or have it
	next  time.Time     // when the pause is over
}

func newSlots(shared hosts.Shared) *slots {
	return &slots{limit: maxHosts, shared: shared, hosts: make(map[string]*host), readers: make(map[string]int)}
}

// enter makes the caller one of a host's readers until it leaves.
func (s *slots) enter(name string) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readers[name] >= maxReaders {
		return nil, tooSlow(crowdedFor)
	}
	s.readers[name]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.readers[name]--; s.readers[name] == 0 {
			delete(s.readers, name)
		}
	}, nil
}

// take waits for a host's slot, but no longer than longest. The caller releases
// the slot with leave, which takes the length of the pause that follows.
func (s *slots) take(ctx context.Context, name string, longest time.Duration) (leave func(pause time.Duration), err error) {
	h, err := s.join(name, longest)
	if err != nil {
		return nil, err
	}
	waiting, cancel := context.WithTimeoutCause(ctx, longest, errNoSlot)
	defer cancel()
	select {
	case <-h.free:
	case <-waiting.Done():
		s.leave(h)
		return nil, s.refusal(waiting, h, longest)
	}
	err = sleep(waiting, s.pause(h))
	if err == nil {
		err = s.shared.Take(waiting, name)
	}
	if err != nil {
		s.leave(h)
		h.free <- struct{}{}
		if waiting.Err() == nil {
			return nil, err
		}
		return nil, s.refusal(waiting, h, longest)
	}
	return func(pause time.Duration) {
		s.shared.Leave(ctx, name, min(pause, maxHold))
		s.release(h, pause)
		h.free <- struct{}{}
	}, nil
}

// join adds a user to a host. It refuses immediately if the host's pause is longer
// than the caller would wait.
func (s *slots) join(name string, longest time.Duration) (*host, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.hosts[name]
	if h == nil {
		if !s.evict() {
			return nil, fault.Wrap(fault.RateLimited, errNoSlot, "Parley is reading too many sites right now. It will try the page again later.")
		}
		h = &host{free: make(chan struct{}, 1)}
		h.free <- struct{}{}
		s.hosts[name] = h
	}
	if left := time.Until(h.next); left > longest {
		return nil, tooSlow(left)
	}
	h.users++
	return h, nil
}

func (s *slots) leave(h *host) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.users--
}

// release starts the pause that follows a request.
func (s *slots) release(h *host, pause time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.users--
	h.next = time.Now().Add(min(pause, maxHold))
}

func (s *slots) pause(h *host) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Until(h.next)
}

// refusal says why the caller got no slot.
func (s *slots) refusal(ctx context.Context, h *host, longest time.Duration) error {
	if !errors.Is(context.Cause(ctx), errNoSlot) {
		return stopped(ctx)
	}
	return tooSlow(max(s.pause(h), longest))
}

// tooSlow is the error for a caller that would have to wait too long.
func tooSlow(left time.Duration) error {
	return &fault.Error{
		Kind: fault.RateLimited, RetryAfter: left, Cause: errNoSlot,
		Message: "Parley reads this site slowly, because the site asks for it or other pages are waiting. It will try the page again later.",
	}
}

// evict forgets hosts until another fits: first unused ones whose pause is over,
// then any unused ones, which cuts their pause short.
func (s *slots) evict() bool {
	if len(s.hosts) < s.limit {
		return true
	}
	now := time.Now()
	if now.Sub(s.swept) >= time.Second {
		s.swept = now
		for name, h := range s.hosts {
			if h.users == 0 && !h.next.After(now) {
				delete(s.hosts, name)
			}
		}
	}
	for name, h := range s.hosts {
		if len(s.hosts) < s.limit {
			break
		}
		if h.users == 0 {
			delete(s.hosts, name)
		}
	}
	return len(s.hosts) < s.limit
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
