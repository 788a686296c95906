package store_test

import (
	"sync"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/plan"
	"parley/core/rate"
)

func TestRequestMinutes(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		ctx := b.Context()
		minute, revision, now, err := b.RequestMinute(ctx, "ws_a")
		b.must(err)
		if since := time.Since(now); revision != 0 || minute.Used(now) != 0 || since < -time.Minute || since > time.Minute {
			b.Fatalf("a new workspace has used %d at revision %d, and the clock is %v off", minute.Used(now), revision, since)
		}
		set := func(minute plan.Minute, revision int64) bool {
			b.Helper()
			stored, err := b.SetRequestMinute(ctx, "ws_a", minute, revision)
			b.must(err)
			return stored
		}
		minute.Take(now, 5, 10, 0)
		if !set(minute, 0) {
			b.Fatal("the first is not stored")
		}

		b.Run("a process that another has overtaken stores nothing", func(t *testing.T) {
			if set(minute, 0) || set(minute, 7) {
				t.Error("it is stored")
			}
			got, revision, now, err := b.RequestMinute(ctx, "ws_a")
			b.must(err)
			if got.Used(now) != 5 || revision != 1 {
				t.Errorf("%d are used at revision %d", got.Used(now), revision)
			}
			got.Take(now, 3, 10, 0)
			if !set(got, revision) || set(got, revision) {
				t.Error("the latest can be stored once")
			}
		})
		b.Run("those of idle workspaces are deleted, and others are not", func(t *testing.T) {
			b.must(b.DeleteRequestMinutes(ctx, everywhere, time.Now().UTC().Add(-time.Hour)))
			if n := b.count("SELECT COUNT(*) FROM request_minutes"); n != 1 {
				t.Errorf("%d are kept", n)
			}
			b.must(b.DeleteRequestMinutes(ctx, everywhere, time.Now().UTC().Add(time.Hour)))
			if n := b.count("SELECT COUNT(*) FROM request_minutes"); n != 0 {
				t.Errorf("%d are kept", n)
			}
		})
	})
}

func TestProcessesShareTheRequestsOfAMinute(t *testing.T) {
	url := migratedPostgres.New(t)
	const limit = 300
	p := plan.Plan{Title: "Small", Limits: plan.Limits{RequestsPerMinute: limit}}
	var all sync.WaitGroup
	var mu sync.Mutex
	passed := map[string]int{}
	for range 2 {
		requests := rate.NewRequests(openBundle(t, url).ofMinutes, time.Now)
		for range 16 {
			all.Go(func() {
				for i := range 2 * limit / 16 {
					for _, workspace := range []string{"ws_a", "ws_b"} {
						switch err := requests.Admit(t.Context(), workspace, p); {
						case err == nil:
							mu.Lock()
							passed[workspace]++
							mu.Unlock()
						case !fault.Is(err, fault.RateLimited):
							t.Errorf("request %d: %v", i, err)
						}
					}
				}
			})
		}
	}
	all.Wait()
	for _, workspace := range []string{"ws_a", "ws_b"} {
		if n := passed[workspace]; n > limit || n < limit*99/100 {
			t.Errorf("%d requests of %s passed", n, workspace)
		}
	}
}
