package app

import (
	"context"
	"runtime"
	"testing"
	"time"
)

func TestRest(t *testing.T) {
	all := time.Duration(runtime.GOMAXPROCS(0))
	// pausesOf counts the pauses after work of a second while the process uses these
	// shares of all processors, one after the other.
	pausesOf := func(ctx context.Context, parts ...float64) (pauses int) {
		var used time.Duration
		throttle{func() time.Duration { return used }, func(_ context.Context, pause time.Duration) {
			used += time.Duration(parts[min(pauses, len(parts)-1)] * float64(all*pause))
			pauses++
		}}.pause(ctx, time.Second)
		return pauses
	}
	t.Run("work rests for as long as it worked where nothing else happens", func(t *testing.T) {
		if n := pausesOf(t.Context(), .1); n != 1 {
			t.Errorf("it paused %d times", n)
		}
	})
	t.Run("it rests until requests have been answered", func(t *testing.T) {
		if n := pausesOf(t.Context(), .9, .3, .1); n != 3 {
			t.Errorf("it paused %d times", n)
		}
	})
	t.Run("it goes on in the end on a server that is always busy", func(t *testing.T) {
		if n := pausesOf(t.Context(), 1); n != maxPauses {
			t.Errorf("it paused %d times", n)
		}
	})
	t.Run("it ends with the server", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if n := pausesOf(ctx, 1); n != 1 {
			t.Errorf("it paused %d times", n)
		}
	})
	t.Run("the time of the processor counts what this process does", func(t *testing.T) {
		before, sum := processorTime(), 0
		for processorTime()-before < time.Millisecond {
			sum++
		}
		if sum == 0 {
			t.Error("nothing was counted")
		}
	})
}
