package app

import (
	"context"
	"runtime"
	"time"
)

// resting is how work in the background lets people go first: it rests for as long as it
// worked, and for longer while the process has other things to do.
type resting struct {
	// used is the processor time of this process so far.
	used func() time.Duration
	wait func(ctx context.Context, pause time.Duration)
}

const (
	// longestRest is how many times as long as it worked the work rests at most, so
	// that a busy server gets on with it, too.
	longestRest = 8
	// busyPart is the part of all processors from which on a process is busy.
	busyPart = 0.25
)

// rest pauses until the process is no longer busy, or until ctx ends.
func (r resting) rest(ctx context.Context, pause time.Duration) {
	busy := time.Duration(busyPart * float64(runtime.GOMAXPROCS(0)) * float64(pause))
	for range longestRest {
		before := r.used()
		r.wait(ctx, pause)
		if ctx.Err() != nil || r.used()-before < busy {
			return
		}
	}
}

// wait waits, or until ctx ends.
func wait(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
