package store_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/store/servers"
)

func TestBusyHosts(t *testing.T) {
	t.Parallel()
	b := openBundle(t, migratedPostgres.New(t))
	hosts := servers.NewBusyHosts(b.Store)
	take := func(t *testing.T, host, holder string, most time.Duration) time.Duration {
		t.Helper()
		wait, err := hosts.TakeHost(t.Context(), host, holder, most)
		if err != nil {
			t.Error(err)
		}
		return wait
	}
	leave := func(t *testing.T, host, holder string, rest time.Duration) {
		t.Helper()
		if err := hosts.LeaveHost(t.Context(), host, holder, rest); err != nil {
			t.Error(err)
		}
	}

	t.Run("of many processes that would read a host one does, and the others wait", func(t *testing.T) {
		var all sync.WaitGroup
		var took atomic.Int32
		for range 20 {
			all.Go(func() {
				switch wait := take(t, "a.example", "one", time.Minute); {
				case wait == 0:
					took.Add(1)
				case wait < 0 || wait > time.Minute:
					t.Errorf("it waits %v", wait)
				}
			})
		}
		all.Wait()
		if took.Load() != 1 {
			t.Errorf("%d read it", took.Load())
		}
		if take(t, "b.example", "two", time.Minute) != 0 {
			t.Error("another host is busy, too")
		}
	})
	t.Run("a host that was read rests, and is then free", func(t *testing.T) {
		leave(t, "a.example", "another", 0)
		if take(t, "a.example", "two", time.Minute) == 0 {
			t.Error("who does not read it has left it")
		}
		leave(t, "a.example", "one", time.Hour)
		if wait := take(t, "a.example", "two", time.Minute); wait < 59*time.Minute {
			t.Errorf("it rests for %v", wait)
		}
		leave(t, "a.example", "one", 0)
		if take(t, "a.example", "two", time.Minute) != 0 {
			t.Error("it is not free")
		}
	})
	t.Run("a process that died has a host no longer than a request takes", func(t *testing.T) {
		if take(t, "c.example", "dead", -time.Second) != 0 || take(t, "c.example", "two", time.Minute) != 0 {
			t.Error("the host is not free")
		}
	})
	t.Run("what says nothing any more is deleted", func(t *testing.T) {
		if take(t, "d.example", "dead", -2*time.Minute) != 0 {
			t.Fatal("the host is busy")
		}
		before := b.count("SELECT COUNT(*) FROM busy_hosts")
		b.must(hosts.DeleteFreeHosts(t.Context()))
		if after := b.count("SELECT COUNT(*) FROM busy_hosts"); after != before-1 {
			t.Errorf("of %d hosts %d are left", before, after)
		}
	})
}
