package account

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"parley/core/fault"
)

// fullQueue returns a queue whose slots the operator has taken.
func fullQueue(t *testing.T, slots int) (q *queue, release func()) {
	t.Helper()
	q = newQueue(slots)
	q.patience = time.Hour
	var releases []func()
	for range slots {
		release, err := q.acquire(t.Context(), netip.Addr{})
		if err != nil {
			t.Fatal(err)
		}
		releases = append(releases, release)
	}
	return q, func() {
		for _, release := range releases {
			release()
		}
	}
}

// result is the outcome of a waiting request.
type result struct {
	release func()
	err     error
}

// join lets a client request a slot n times, and returns when each request has its
// place or was rejected.
func (q *queue) join(t *testing.T, n int, address func(int) string) (rejected int, waiting chan result) {
	t.Helper()
	results := make(chan result, n)
	for i := range n {
		before := q.length()
		go func() {
			release, err := q.acquire(context.WithoutCancel(t.Context()), netip.MustParseAddr(address(i)))
			results <- result{release, err}
		}()
		for q.length() == before && len(results) == rejected {
			time.Sleep(100 * time.Microsecond)
		}
		rejected = len(results)
	}
	return rejected, results
}

func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.places
}

// settle waits until the queue has the given length.
func (q *queue) settle(t *testing.T, want int) {
	t.Helper()
	for t.Context().Err() == nil {
		q.mu.Lock()
		n := 0
		for _, line := range q.waiting {
			n += len(line)
		}
		q.mu.Unlock()
		if n == want {
			return
		}
		time.Sleep(100 * time.Microsecond)
	}
}

func (q *queue) busySlots() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running
}

func alone(address string) func(int) string { return func(int) string { return address } }

func wantBusy(t *testing.T, err error) {
	t.Helper()
	if !fault.Is(err, fault.Unavailable) || fault.As(err).RetryAfter <= 0 {
		t.Errorf("the error is %v", err)
	}
}

func TestQueue(t *testing.T) {
	const slots = 2
	t.Run("one client cannot fill the queue", func(t *testing.T) {
		q, release := fullQueue(t, slots)
		away, first := q.join(t, q.most, alone("192.0.2.1"))
		if want := q.most - q.most/queueShare; away != want {
			t.Errorf("%d of %d were rejected, want %d", away, q.most, want)
		}
		for range away {
			wantBusy(t, (<-first).err)
		}
		away, second := q.join(t, 1, alone("192.0.2.2"))
		if away != 0 {
			t.Error("another client was rejected")
		}
		release()
		for range q.most/queueShare + 1 {
			var r result
			select {
			case r = <-first:
			case r = <-second:
			}
			if r.err != nil {
				t.Fatal(r.err)
			}
			r.release()
		}
		if q.length() != 0 || len(q.taken) != 0 || q.busySlots() != 0 || len(q.waiting) != 0 || len(q.order) != 0 {
			t.Errorf("%d places are taken, by %v, and %d slots", q.length(), q.taken, q.busySlots())
		}
	})
	t.Run("a client that comes after a busy one waits for one of its requests, not for all", func(t *testing.T) {
		q, release := fullQueue(t, 1)
		_, crowd := q.join(t, q.most/queueShare, alone("192.0.2.1"))
		_, late := q.join(t, 1, alone("192.0.2.2"))
		q.settle(t, q.most/queueShare+1)
		release()
		(<-crowd).release()
		(<-late).release()
		if left := q.length(); left != q.most/queueShare-1 {
			t.Errorf("%d of the busy client's requests are left", left)
		}
	})
	t.Run("neither can the networks of one IPv6 site fill it", func(t *testing.T) {
		q, release := fullQueue(t, slots)
		defer release()
		away, _ := q.join(t, q.most, func(i int) string { return fmt.Sprintf("2001:db8:1:%x::1", i) })
		if want := q.most - q.most/queueSite; away != want {
			t.Errorf("%d of %d were rejected, want %d", away, q.most, want)
		}
	})
	t.Run("a full queue rejects immediately", func(t *testing.T) {
		q, release := fullQueue(t, slots)
		defer release()
		away, _ := q.join(t, q.most+1, func(i int) string { return fmt.Sprintf("192.0.2.%d", i) })
		if away != 1 {
			t.Errorf("%d were rejected", away)
		}
	})
	t.Run("nobody waits longer than the deadline, and an abandoned place becomes free", func(t *testing.T) {
		q, release := fullQueue(t, slots)
		q.patience = time.Millisecond
		_, err := q.acquire(t.Context(), netip.MustParseAddr("192.0.2.1"))
		wantBusy(t, err)
		if !errors.Is(err, context.DeadlineExceeded) || q.length() != 0 {
			t.Errorf("%d wait after %v", q.length(), err)
		}
		q.patience = time.Hour
		release()
		if _, err := q.acquire(t.Context(), netip.MustParseAddr("192.0.2.1")); err != nil {
			t.Error(err)
		}
	})
	t.Run("a caller who goes away leaves the queue", func(t *testing.T) {
		q, release := fullQueue(t, slots)
		defer release()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for _, address := range []netip.Addr{{}, netip.MustParseAddr("192.0.2.1")} {
			_, err := q.acquire(ctx, address)
			if wantBusy(t, err); !errors.Is(err, context.Canceled) {
				t.Errorf("the error is %v", err)
			}
		}
	})
	t.Run("no more passwords are hashed at once than there are slots", func(t *testing.T) {
		h := newHasher(rand.Reader, slots, secure)
		phc := hashed(t, h, "correct horse")
		full, release := fullQueue(t, slots)
		h.queue = full
		done := make(chan error)
		for range 2 * slots {
			go func() {
				_, _, err := h.verify(context.WithoutCancel(t.Context()), netip.Addr{}, phc, "correct horse")
				done <- err
			}()
		}
		select {
		case err := <-done:
			t.Fatalf("one ran without a slot: %v", err)
		default:
		}
		release()
		for range 2 * slots {
			if err := <-done; err != nil {
				t.Error(err)
			}
			if n := full.busySlots(); n > slots {
				t.Errorf("%d run at once", n)
			}
		}
	})
}
