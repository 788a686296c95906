package embedded

import (
	"context"
	"sync"
	"time"
)

const (
	// settleTime is how long a scope must have had no change before the
	// compactor makes its segments as few as possible.
	settleTime = 500 * time.Millisecond
	// maxSegments is how many segments a scope may have before its writers
	// wait for merges.
	maxSegments = 32
)

// compactor works in the background: it merges segments and deletes the rows
// of dropped scopes. It retries what failed the next time it is woken.
type compactor struct {
	write  *writer
	merger merger
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}
	// wake has a capacity of one.
	wake chan struct{}

	mu sync.Mutex
	// written has the time of each scope's last change.
	written map[int64]time.Time
	// fresh has the scopes that changed since the compactor last looked.
	fresh map[int64]bool
	sweep bool
}

func newCompactor(write *writer, states *states) *compactor {
	ctx, cancel := context.WithCancel(background)
	return &compactor{
		write: write, merger: merger{write: write, states: states},
		ctx: ctx, cancel: cancel, done: make(chan struct{}), wake: make(chan struct{}, 1),
		written: map[int64]time.Time{}, fresh: map[int64]bool{}, sweep: true,
	}
}

// wrote tells the compactor that a scope has changed and how many segments it
// has now. If these are too many, the caller waits for the merge.
func (c *compactor) wrote(ctx context.Context, scope, segments int64) {
	c.mu.Lock()
	c.written[scope] = time.Now()
	c.fresh[scope] = true
	c.mu.Unlock()
	c.signal()
	if segments > maxSegments {
		// The change is committed even if the merge fails.
		_ = c.merger.compact(ctx, scope, busyRun)
	}
}

// dropped tells the compactor that there are rows to delete.
func (c *compactor) dropped() {
	c.mu.Lock()
	c.sweep = true
	c.mu.Unlock()
	c.signal()
}

func (c *compactor) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// close stops the compactor. The next start of the program resumes its work.
func (c *compactor) close() {
	c.cancel()
	<-c.done
}

func (c *compactor) run() {
	defer close(c.done)
	c.resume()
	for {
		fresh, settled, sweep, waiting := c.next()
		for _, scope := range fresh {
			_ = c.merger.compact(c.ctx, scope, busyRun)
		}
		for _, scope := range settled {
			_ = c.merger.compact(c.ctx, scope, settledRun)
		}
		if sweep {
			_ = c.write.deleteDropped(c.ctx)
		}
		var later <-chan time.Time
		if waiting {
			later = time.After(settleTime / 2)
		}
		select {
		case <-c.ctx.Done():
			return
		case <-c.wake:
		case <-later:
		}
	}
}

// next returns what there is to do now, and whether there is more to do later.
func (c *compactor) next() (fresh, settled []int64, sweep, waiting bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for scope, at := range c.written {
		switch {
		case c.fresh[scope]:
			fresh = append(fresh, scope)
		case time.Since(at) > settleTime:
			settled = append(settled, scope)
			delete(c.written, scope)
		}
	}
	clear(c.fresh)
	sweep, c.sweep = c.sweep, false
	return fresh, settled, sweep, len(c.written) > 0
}

// resume notes the scopes that an earlier run of the program left in many
// segments.
func (c *compactor) resume() {
	scopes, err := column[int64](c.merger.states.read.QueryContext(c.ctx, "SELECT scope FROM segment GROUP BY scope HAVING count(*) >= ?", settledRun))
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, scope := range scopes {
		c.written[scope] = time.Time{}
	}
}
