package rate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"parley/core/fault"
	"parley/core/plan"
)

// minutes is a double of the shared counts in a database, whose clock differs from
// the processes' clock.
type minutes struct {
	mu     sync.Mutex
	ahead  time.Duration
	kept   map[string][]byte
	revs   map[string]int64
	reads  int
	writes int
	fail   error
	delay  time.Duration
	clock  func() time.Time
	sleep  func(time.Duration)
}

func newMinutes(ahead time.Duration) *minutes {
	return &minutes{ahead: ahead, kept: map[string][]byte{}, revs: map[string]int64{}, clock: time.Now, sleep: time.Sleep}
}

func (m *minutes) RequestMinute(_ context.Context, workspaceID string) (minute plan.Minute, revision int64, now time.Time, err error) {
	m.sleep(m.delay)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads++
	if m.fail != nil {
		return minute, 0, now, m.fail
	}
	err = minute.UnmarshalBinary(m.kept[workspaceID])
	return minute, m.revs[workspaceID], m.clock().Add(m.ahead), err
}

func (m *minutes) SetRequestMinute(_ context.Context, workspaceID string, minute plan.Minute, revision int64) (bool, error) {
	m.sleep(m.delay)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.revs[workspaceID] != revision {
		return false, nil
	}
	m.writes++
	m.revs[workspaceID]++
	b, err := minute.MarshalBinary()
	m.kept[workspaceID] = b
	return true, err
}

func aMinute(requests int) plan.Plan {
	return plan.Plan{Title: "Small", Limits: plan.Limits{RequestsPerMinute: requests}}
}

// admitted returns how many of a number of requests are admitted.
func admitted(t *testing.T, r *Requests, workspaceID string, p plan.Plan, requests int) int {
	t.Helper()
	n := 0
	for range requests {
		switch err := r.Admit(t.Context(), workspaceID, p); {
		case err == nil:
			n++
		case !fault.Is(err, fault.RateLimited):
			t.Fatal(err)
		}
	}
	return n
}

// onEachKind runs a test with requests counted in the process and with requests
// counted in a database.
func onEachKind(t *testing.T, test func(t *testing.T, r *Requests)) {
	for name, store := range map[string]func() RequestStore{
		"alone":  func() RequestStore { return nil },
		"shared": func() RequestStore { return newMinutes(-time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, NewRequests(store(), time.Now)) })
		})
	}
}

func TestRequests(t *testing.T) {
	t.Run("as many requests pass at once as the plan includes, and no more", func(t *testing.T) {
		onEachKind(t, func(t *testing.T, r *Requests) {
			if got := admitted(t, r, "ws", aMinute(300), 500); got != 300 {
				t.Errorf("%d passed", got)
			}
		})
	})
	t.Run("a refused request says how long to wait, and passes after that", func(t *testing.T) {
		onEachKind(t, func(t *testing.T, r *Requests) {
			for _, limit := range []int{1, 7, 300} {
				workspace := fmt.Sprint("ws_", limit)
				admitted(t, r, workspace, aMinute(limit), limit)
				err := r.Admit(t.Context(), workspace, aMinute(limit))
				wait := fault.As(err).RetryAfter
				if !fault.Is(err, fault.RateLimited) || wait < time.Second || wait > 66*time.Second || wait%time.Second != 0 {
					t.Fatalf("%d a minute give %v after %v", limit, err, wait)
				}
				if want := fmt.Sprintf("The Small plan includes %d requests a minute. Wait %d s", limit, wait/time.Second); !strings.HasPrefix(err.Error(), want) {
					t.Errorf("the message is %q", err)
				}
				time.Sleep(wait)
				if err := r.Admit(t.Context(), workspace, aMinute(limit)); err != nil {
					t.Errorf("%d a minute refuse after the wait: %v", limit, err)
				}
			}
		})
	})
	t.Run("each workspace is counted separately", func(t *testing.T) {
		onEachKind(t, func(t *testing.T, r *Requests) {
			admitted(t, r, "ws_1", aMinute(2), 10)
			if err := r.Admit(t.Context(), "ws_2", aMinute(2)); err != nil {
				t.Errorf("another is refused: %v", err)
			}
		})
	})
	t.Run("an upgrade takes effect at once, and used requests stay used", func(t *testing.T) {
		onEachKind(t, func(t *testing.T, r *Requests) {
			admitted(t, r, "ws", aMinute(20), 30)
			if got := admitted(t, r, "ws", aMinute(50), 100); got != 30 {
				t.Errorf("%d passed", got)
			}
			if got := admitted(t, r, "ws", aMinute(20), 100); got != 0 {
				t.Errorf("%d passed after the downgrade", got)
			}
		})
	})
	t.Run("a plan without a limit is not counted, and a limit of zero refuses all", func(t *testing.T) {
		onEachKind(t, func(t *testing.T, r *Requests) {
			if got := admitted(t, r, "ws", aMinute(plan.Unlimited), 1_000); got != 1_000 || len(r.byID) != 0 {
				t.Errorf("%d passed, %d workspaces are kept", got, len(r.byID))
			}
			if got := admitted(t, r, "ws", aMinute(0), 10); got != 0 {
				t.Errorf("%d passed", got)
			}
		})
	})
	t.Run("idle workspaces are forgotten", func(t *testing.T) {
		onEachKind(t, func(t *testing.T, r *Requests) {
			for i := range 100 {
				admitted(t, r, fmt.Sprint(i), aMinute(5), 1)
			}
			time.Sleep(2*requestsKept + time.Second)
			admitted(t, r, "ws", aMinute(5), 1)
			if len(r.byID) != 1 {
				t.Errorf("%d are kept", len(r.byID))
			}
		})
	})
}

func TestSharedRequests(t *testing.T) {
	t.Run("two processes together admit no more than the plan includes", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := newMinutes(3 * time.Hour)
			here, there := NewRequests(store, time.Now), NewRequests(store, time.Now)
			n := 0
			for range 600 {
				n += admitted(t, here, "ws", aMinute(300), 1) + admitted(t, there, "ws", aMinute(300), 1)
				time.Sleep(10 * time.Millisecond)
			}
			if n > 300 || n < 297 {
				t.Errorf("%d passed", n)
			}
		})
	})
	t.Run("a refused request neither reads nor writes, until the next one can pass", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := newMinutes(0)
			r := NewRequests(store, time.Now)
			admitted(t, r, "ws", aMinute(300), 301)
			reads, writes := store.reads, store.writes
			if got := admitted(t, r, "ws", aMinute(300), 1_000); got != 0 || store.reads != reads || store.writes != writes {
				t.Errorf("%d passed, with %d reads and %d writes", got, store.reads-reads, store.writes-writes)
			}
		})
	})
	t.Run("far from the limit a hundred requests need few statements", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := newMinutes(0)
			r := NewRequests(store, time.Now)
			admitted(t, r, "ws", aMinute(10_000), 100)
			if store.writes != 1 {
				t.Errorf("there were %d writes", store.writes)
			}
		})
	})
	t.Run("requests at the same time share one reservation", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := newMinutes(0)
			store.delay = time.Millisecond
			r := NewRequests(store, time.Now)
			var all sync.WaitGroup
			for range 64 {
				all.Go(func() {
					if err := r.Admit(t.Context(), "ws", aMinute(300)); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			if store.writes > 2 { // the first may have asked before the others arrived
				t.Errorf("there were %d writes", store.writes)
			}
		})
	})
	t.Run("a request that leaves does not fail the others that wait", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := newMinutes(0)
			store.delay = time.Second
			r := NewRequests(store, time.Now)
			ctx, leave := context.WithCancel(t.Context())
			left, stayed := make(chan error, 1), make(chan error, 1)
			go func() { left <- r.Admit(ctx, "ws", aMinute(300)) }()
			synctest.Wait()
			go func() { stayed <- r.Admit(t.Context(), "ws", aMinute(300)) }()
			synctest.Wait()
			leave()
			if err := <-left; !errors.Is(err, context.Canceled) {
				t.Errorf("the one that left got %v", err)
			}
			if err := <-stayed; err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("a slow database still admits requests", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := newMinutes(0)
			r := NewRequests(store, time.Now)
			admitted(t, r, "ws", aMinute(300), 280)
			store.delay = 600 * time.Millisecond
			if got := admitted(t, r, "ws", aMinute(300), 5); got == 0 {
				t.Error("none passed")
			}
		})
	})
	t.Run("while the database is down requests fail, and each one tries it again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := newMinutes(0)
			r := NewRequests(store, time.Now)
			store.fail = fault.New(fault.Unavailable, "away")
			if err := r.Admit(t.Context(), "ws", aMinute(300)); !errors.Is(err, store.fail) {
				t.Errorf("got %v", err)
			}
			store.fail = nil
			if err := r.Admit(t.Context(), "ws", aMinute(300)); err != nil {
				t.Error(err)
			}
		})
	})
}

// TestSharedRequestsHoldInAnyMinute checks that no 60 seconds admit more requests
// than the limit, whatever several processes do and however slow the database is.
func TestSharedRequestsHoldInAnyMinute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
		clock := func() time.Time { return at } // one request is made at a time
		store := newMinutes(time.Duration(rapid.IntRange(-1000, 1000).Draw(t, "seconds ahead")) * time.Second)
		store.clock, store.sleep = clock, func(d time.Duration) { at = at.Add(d) }
		limit := rapid.IntRange(1, 400).Draw(t, "limit")
		processes := []*Requests{NewRequests(store, clock), NewRequests(store, clock), NewRequests(store, clock)}
		var passed []time.Time
		for range rapid.IntRange(1, 60).Draw(t, "bursts") {
			store.delay = time.Duration(rapid.IntRange(0, 700).Draw(t, "delay in ms")) * time.Millisecond
			r := rapid.SampledFrom(processes).Draw(t, "process")
			for range rapid.IntRange(1, 80).Draw(t, "requests") {
				if err := r.Admit(context.Background(), "ws", aMinute(limit)); err == nil {
					passed = append(passed, at)
				} else if !fault.Is(err, fault.RateLimited) {
					t.Fatal(err)
				}
			}
			at = at.Add(time.Duration(rapid.IntRange(0, 9_000).Draw(t, "pause in ms")) * time.Millisecond)
		}
		for i, end := range passed {
			n := 0
			for _, at := range passed[:i+1] {
				if at.After(end.Add(-time.Minute)) {
					n++
				}
			}
			if n > limit {
				t.Fatalf("%d requests in a minute, of %d", n, limit)
			}
		}
	})
}

func BenchmarkRequests(b *testing.B) {
	for name, store := range map[string]RequestStore{"alone": nil, "shared": newMinutes(0)} {
		b.Run(name, func(b *testing.B) {
			r := NewRequests(store, time.Now)
			b.ReportAllocs()
			for b.Loop() {
				if err := r.Admit(b.Context(), "ws", aMinute(1<<30)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
