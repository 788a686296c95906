package turn

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/core/fault"
)

func TestQueue(t *testing.T) {
	enter := func(t *testing.T, q *queue[int64], id int64) (leave func()) {
		t.Helper()
		leave, err := q.enter(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return leave
	}
	isEmpty := func(t *testing.T, q *queue[int64]) {
		t.Helper()
		if len(q.lines) != 0 {
			t.Fatalf("%d conversations are remembered", len(q.lines))
		}
	}

	t.Run("turns of one conversation run one at a time, in the order they came", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue[int64]()
			var mu sync.Mutex
			var order []int
			first := enter(t, q, 1)
			var all sync.WaitGroup
			for i := range 50 {
				all.Go(func() {
					leave := enter(t, q, 1)
					mu.Lock()
					order = append(order, i)
					mu.Unlock()
					time.Sleep(time.Millisecond) // the bubble's time: nobody else gets in
					leave()
				})
				synctest.Wait()
			}
			start := time.Now()
			first()
			all.Wait()
			if took := time.Since(start); took != 50*time.Millisecond {
				t.Fatalf("50 turns of 1 ms took %v", took)
			}
			if !slices.IsSorted(order) || len(order) != 50 {
				t.Fatalf("the order was %v", order)
			}
			isEmpty(t, q)
		})
	})

	t.Run("turns of different conversations do not wait for one another", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue[int64]()
			one, two := enter(t, q, 1), enter(t, q, 2)
			two()
			one()
			isEmpty(t, q)
		})
	})

	t.Run("a turn waits 30 s and is then refused as busy", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue[int64]()
			first := enter(t, q, 1)
			ctx, cancel := context.WithTimeout(t.Context(), queueWait)
			defer cancel()
			start := time.Now()
			_, err := q.enter(ctx, 1)
			if !fault.Is(err, fault.Conflict) || fault.As(err).RetryAfter == 0 {
				t.Fatalf("got %v", err)
			}
			if waited := time.Since(start); waited != 30*time.Second {
				t.Fatalf("after %v", waited)
			}
			first()
			isEmpty(t, q)
			enter(t, q, 1)()
		})
	})

	t.Run("a caller that leaves the queue takes no other caller's place", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue[int64]()
			gone := errors.New("gone")
			first := enter(t, q, 1)
			ctx, cancel := context.WithCancelCause(t.Context())
			left := make(chan error, 1)
			go func() {
				_, err := q.enter(ctx, 1)
				left <- err
			}()
			next := make(chan func(), 1)
			synctest.Wait()
			go func() { next <- enter(t, q, 1) }()
			synctest.Wait()
			cancel(gone)
			if err := <-left; err != gone {
				t.Fatalf("got %v", err)
			}
			first()
			(<-next)()
			isEmpty(t, q)
		})
	})

	t.Run("no state is left after callers came and left at random", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue[int64]()
			inside := map[int64]bool{}
			var mu sync.Mutex
			var all sync.WaitGroup
			for i := range 300 {
				all.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%7)*time.Millisecond)
					defer cancel()
					id := int64(i % 5)
					leave, err := q.enter(ctx, id)
					if err != nil {
						return
					}
					mu.Lock()
					if inside[id] {
						t.Error("two turns of one conversation ran at once")
					}
					inside[id] = true
					mu.Unlock()
					time.Sleep(time.Millisecond)
					mu.Lock()
					inside[id] = false
					mu.Unlock()
					leave()
				})
			}
			all.Wait()
			isEmpty(t, q)
		})
	})
}
