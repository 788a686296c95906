package upstream

import (
	"context"
	"sync"
	"time"
)

const (
	checkTimeout = 2 * time.Second
	// checkAge is how long a check holds, so that readiness can be checked
	// often.
	checkAge = 15 * time.Second
)

// Check holds the last check of a server. The zero value has none. It is safe for
// concurrent use.
type Check struct {
	mu     sync.Mutex
	at     time.Time
	result error
}

// Result returns nil, or a fault of kind Upstream with the error of ask. A result
// holds for 15 seconds. A check takes at most 2 seconds, and other callers wait
// for it meanwhile. If ctx has ended, Result returns its error without asking.
func (c *Check) Result(ctx context.Context, ask func(ctx context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.at.IsZero() && time.Since(c.at) < checkAge {
		return c.result
	}
	// Other callers share the result, so this caller's leaving is not a failure.
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTimeout)
	defer cancel()
	c.result = nil
	if err := ask(limited); err != nil {
		c.result = Fault(err)
	}
	c.at = time.Now()
	return c.result
}
