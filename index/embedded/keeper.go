package embedded

import (
	"context"
	"sync"
	"time"
)

const (
	// settleTime is how long nothing must have been written to a scope before
	// its segments are made as few as possible.
	settleTime = 500 * time.Millisecond
	// maxSegments is how many a scope may have before its writers must wait
	// for merges.
	maxSegments = 32
)

// keeper works behind the others: it merges segments and deletes the rows of
// scopes that were dropped. What fails is left for the next time.
type keeper struct {
	index  *Index
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}
	// wake has room for one.
	wake chan struct{}
	// merging lets one at a time merge.
	merging sync.Mutex

	mu sync.Mutex
	// written are scopes with the time of their last change.
	written map[int64]time.Time
	// fresh are those of them that were written to since they were looked at.
	fresh map[int64]bool
	sweep bool
}

func newKeeper(index *Index) *keeper {
	ctx, cancel := context.WithCancel(background)
	return &keeper{
		index: index, ctx: ctx, cancel: cancel, done: make(chan struct{}), wake: make(chan struct{}, 1),
		written: map[int64]time.Time{}, fresh: map[int64]bool{}, sweep: true,
	}
}

// wrote says that a scope was written to, and has so many segments now. With
// too many it merges on the writer's time.
func (k *keeper) wrote(ctx context.Context, scope, segments int64) {
	k.mu.Lock()
	k.written[scope] = time.Now()
	k.fresh[scope] = true
	k.mu.Unlock()
	k.signal()
	if segments > maxSegments {
		// The change is made, whatever becomes of the merge.
		_ = k.compact(ctx, scope, busyRun)
	}
}

// dropped says that there are rows to delete.
func (k *keeper) dropped() {
	k.mu.Lock()
	k.sweep = true
	k.mu.Unlock()
	k.signal()
}

func (k *keeper) signal() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// close ends the keeper's work where it is. It is taken up at the next start.
func (k *keeper) close() {
	k.cancel()
	<-k.done
}

func (k *keeper) run() {
	defer close(k.done)
	k.takeUp()
	for {
		fresh, settled, sweep, waiting := k.next()
		for _, scope := range fresh {
			_ = k.compact(k.ctx, scope, busyRun)
		}
		for _, scope := range settled {
			_ = k.compact(k.ctx, scope, settledRun)
		}
		if sweep {
			_ = k.index.sweep(k.ctx)
		}
		var later <-chan time.Time
		if waiting {
			later = time.After(settleTime / 2)
		}
		select {
		case <-k.ctx.Done():
			return
		case <-k.wake:
		case <-later:
		}
	}
}

// next takes what there is to do now, and says whether there is more to do
// later.
func (k *keeper) next() (fresh, settled []int64, sweep, waiting bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for scope, at := range k.written {
		switch {
		case k.fresh[scope]:
			fresh = append(fresh, scope)
		case time.Since(at) > settleTime:
			settled = append(settled, scope)
			delete(k.written, scope)
		}
	}
	clear(k.fresh)
	sweep, k.sweep = k.sweep, false
	return fresh, settled, sweep, len(k.written) > 0
}

// takeUp notes the scopes that another run of the program left in many
// segments.
func (k *keeper) takeUp() {
	scopes, err := column[int64](k.index.read.QueryContext(k.ctx, "SELECT scope FROM segment GROUP BY scope HAVING count(*) >= ?", settledRun))
	if err != nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, scope := range scopes {
		k.written[scope] = time.Time{}
	}
}
