package app

import (
	"context"
	"runtime"
	"time"
)

// throttle lets people's requests go before work in the background: the work pauses for as
// long as it worked, and for longer while the process is busy.
type throttle struct {
	// used is the processor time of this process so far.
	used func() time.Duration
	wait func(ctx context.Context, pause time.Duration)
}

const (
	// maxPauses bounds how many pauses follow one another, so that a busy server gets
	// on with the work, too.
	maxPauses = 8
	// busyShare is the share of all processors that a busy process uses.
	busyShare = 0.25
)

// pause pauses until the process is no longer busy, or until ctx ends.
func (t throttle) pause(ctx context.Context, pause time.Duration) {
	busy := time.Duration(busyShare * float64(runtime.GOMAXPROCS(0)) * float64(pause))
	for range maxPauses {
		before := t.used()
		t.wait(ctx, pause)
		if ctx.Err() != nil || t.used()-before < busy {
			return
		}
	}
}

// wait waits for a pause, or until ctx ends.
func wait(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
