package fetch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/core/fault"
	"parley/fetch/hosts"
)

// visits makes n concurrent visits to a host, each of the given length, and
// returns when each started, relative to the first possible moment.
func visits(t *testing.T, slots *slots, host string, n int, length, pause time.Duration) []time.Duration {
	t.Helper()
	begin := time.Now()
	var mu sync.Mutex
	var began []time.Duration
	present := 0
	var wait sync.WaitGroup
	for range n {
		wait.Go(func() {
			leave, err := slots.take(t.Context(), host, time.Minute)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			began = append(began, time.Since(begin))
			present++
			if present > 1 {
				t.Errorf("%d at once", present)
			}
			mu.Unlock()
			time.Sleep(length)
			mu.Lock()
			present--
			mu.Unlock()
			leave(pause)
		})
	}
	wait.Wait()
	return began
}

func TestSlots(t *testing.T) {
	t.Run("one request at a time goes to a host, with a pause after each", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			began := visits(t, newSlots(hosts.Shared{}), "a.example", 4, 2*time.Second, time.Second)
			for i, at := range began {
				if want := time.Duration(i) * 3 * time.Second; at != want {
					t.Errorf("visit %d began after %v, want %v", i, at, want)
				}
			}
		})
	})
	t.Run("hosts do not wait for one another", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			slots, begin := newSlots(hosts.Shared{}), time.Now()
			var wait sync.WaitGroup
			for i := range 50 {
				wait.Go(func() { visits(t, slots, fmt.Sprintf("%d.example", i), 2, time.Second, time.Second) })
			}
			wait.Wait()
			if took := time.Since(begin); took != 3*time.Second {
				t.Errorf("%v", took)
			}
		})
	})
	t.Run("a caller who goes away leaves the queue", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			slots := newSlots(hosts.Shared{})
			leave, err := slots.take(t.Context(), "a.example", time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if _, err := slots.take(ctx, "a.example", time.Minute); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
			leave(10 * time.Second)
			ctx, cancel = context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if _, err := slots.take(ctx, "a.example", time.Minute); !errors.Is(err, context.DeadlineExceeded) {
				t.Error("during the pause:", err)
			}
			if began := visits(t, slots, "a.example", 1, 0, 0); began[0] != 9*time.Second {
				t.Errorf("the next began after %v", began[0])
			}
			if users := slots.hosts["a.example"].users; users != 0 {
				t.Errorf("%d users are counted", users)
			}
		})
	})
	t.Run("a caller who would wait too long learns when to try again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			slots := newSlots(hosts.Shared{})
			leave, _ := slots.take(t.Context(), "a.example", time.Minute)
			begin := time.Now()
			_, err := slots.take(t.Context(), "a.example", time.Minute)
			if failure := fault.As(err); failure.Kind != fault.RateLimited || failure.RetryAfter != time.Minute || time.Since(begin) != time.Minute {
				t.Errorf("%v after %v", failure, time.Since(begin))
			}
			leave(5 * time.Minute)
			begin = time.Now()
			_, err = slots.take(t.Context(), "a.example", time.Minute)
			if failure := fault.As(err); failure.RetryAfter != 5*time.Minute || time.Since(begin) != 0 {
				t.Errorf("%v after %v", failure, time.Since(begin))
			}
		})
	})
	t.Run("no host is paused for longer than an hour", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			slots := newSlots(hosts.Shared{})
			leave, _ := slots.take(t.Context(), "a.example", time.Minute)
			leave(24 * time.Hour)
			time.Sleep(time.Hour)
			visits(t, slots, "a.example", 1, 0, 0)
		})
	})
	t.Run("the memory of hosts is bounded", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			slots := newSlots(hosts.Shared{})
			slots.limit = 10
			held, _ := slots.take(t.Context(), "held.example", time.Minute)
			for i := range 1000 {
				leave, err := slots.take(t.Context(), fmt.Sprintf("%d.example", i), time.Minute)
				if err != nil {
					t.Fatal(err)
				}
				leave(time.Hour)
			}
			if len(slots.hosts) > 10 || slots.hosts["held.example"] == nil {
				t.Errorf("%d hosts", len(slots.hosts))
			}
			held(0)
		})
	})
	t.Run("when all hosts are in use, another is refused for now", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			slots := newSlots(hosts.Shared{})
			slots.limit = 1
			leave, _ := slots.take(t.Context(), "a.example", time.Minute)
			_, err := slots.take(t.Context(), "b.example", time.Minute)
			if !fault.Is(err, fault.RateLimited) {
				t.Error(err)
			}
			leave(0)
			visits(t, slots, "b.example", 1, 0, 0)
		})
	})
}
