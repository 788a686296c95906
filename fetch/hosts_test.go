package fetch

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/core/fault"
	"parley/fetch/hosts"
)

// together lets processes read one after the other, as a database does.
type together struct {
	mu     sync.Mutex
	holder string
	free   time.Time
	fails  error
}

func (h *together) TakeHost(_ context.Context, _, holder string, most time.Duration) (time.Duration, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if wait := time.Until(h.free); wait > 0 || h.fails != nil {
		return wait, h.fails
	}
	h.holder, h.free = holder, time.Now().Add(most)
	return 0, nil
}

func (h *together) LeaveHost(_ context.Context, _, holder string, rest time.Duration) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.holder == holder {
		h.free = time.Now().Add(rest)
	}
	return nil
}

func TestHosts(t *testing.T) {
	t.Run("a host gets one request at a time, from however many processes", func(t *testing.T) {
		var present, most, asked atomic.Int32
		site := serve(t, withoutRobots(func(w http.ResponseWriter, _ *http.Request) {
			most.Store(max(most.Load(), present.Add(1)))
			defer present.Add(-1)
			asked.Add(1)
			html(w, "content")
		}))
		meeting := &together{}
		var all sync.WaitGroup
		for range 3 {
			f := open(t, Config{Hosts: meeting, Delay: time.Millisecond}, site.URL)
			all.Go(func() {
				for range 5 {
					if _, err := f.Get(t.Context(), Request{URL: site.URL + "/"}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if most.Load() != 1 || asked.Load() != 15 {
			t.Errorf("%d requests, at most %d at once", asked.Load(), most.Load())
		}
	})
	t.Run("a process waits for the rest that another one's site asks for, and no longer than it may", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			meeting := &together{}
			one, two := newSlots(hosts.Share(meeting, time.Minute)), newSlots(hosts.Share(meeting, time.Minute))
			leave, err := one.take(t.Context(), "a.example", time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			leave(10 * time.Second)
			if _, err := two.take(t.Context(), "a.example", 5*time.Second); !fault.Is(err, fault.RateLimited) {
				t.Errorf("after 5 s the other got %v", err)
			}
			began := time.Now()
			if leave, err = two.take(t.Context(), "a.example", time.Minute); err != nil || time.Since(began) < 5*time.Second || time.Since(began) > 6*time.Second {
				t.Fatalf("the other got %v after %v", err, time.Since(began))
			}
			leave(0)
		})
	})
	t.Run("a page whose slot cannot be asked for is tried again later", func(t *testing.T) {
		slots := newSlots(hosts.Share(&together{fails: errors.ErrUnsupported}, time.Minute))
		for range 2 { // the slot is given back
			if _, err := slots.take(t.Context(), "a.example", time.Minute); !fault.Is(err, fault.Unavailable) {
				t.Errorf("got %v", err)
			}
		}
	})
}
