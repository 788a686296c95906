package bodies

import (
	"sync"
	"testing"
	"testing/synctest"

	"parley/core/fault"
)

func TestHeavily(t *testing.T) {
	// run begins requests of a client that wait for an end.
	run := func(t *testing.T, client string, n int, end chan struct{}) (results chan error) {
		t.Helper()
		results = make(chan error, n)
		for range n {
			go func() {
				results <- Heavily(t.Context(), client, func() error {
					<-end
					return nil
				})
			}()
		}
		synctest.Wait()
		return results
	}
	t.Run("a client that asks for much does not keep others waiting", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			heavy = newTurns()
			end := make(chan struct{})
			run(t, "a", 20, end)
			done := false
			if err := Heavily(t.Context(), "b", func() error { done = true; return nil }); err != nil || !done {
				t.Errorf("another waits: %v", err)
			}
			close(end)
			synctest.Wait()
			if len(heavy.clients) != 0 || len(heavy.all) != 0 {
				t.Errorf("%d clients and %d slots are left", len(heavy.clients), len(heavy.all))
			}
		})
	})
	t.Run("what waits too long, and what is too much, is refused", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			heavy = newTurns()
			end := make(chan struct{})
			results := run(t, "a", heavyOfClient+heavyWaiting+3, end)
			var refused sync.WaitGroup
			for range heavyWaiting + 3 {
				refused.Go(func() {
					if err := <-results; !fault.Is(err, fault.RateLimited) {
						t.Errorf("got %v", err)
					}
				})
			}
			refused.Wait()
			close(end)
			synctest.Wait()
		})
	})
	t.Run("where all are busy, a client is told to come again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			heavy = newTurns()
			end := make(chan struct{})
			for _, client := range []string{"a", "b", "c"} {
				run(t, client, heavyOfClient, end)
			}
			if err := Heavily(t.Context(), "d", func() error { return nil }); !fault.Is(err, fault.Unavailable) {
				t.Errorf("got %v", err)
			}
			close(end)
			synctest.Wait()
		})
	})
}
