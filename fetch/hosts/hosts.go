// Package hosts lets several processes read a host one after the other. It owns how a
// process waits for the others, and not where they meet.
package hosts

import (
	"context"
	"crypto/rand"
	"time"

	"parley/core/fault"
)

// Hosts is the port by which several processes read a host one after the other. Each
// process lets one of its own requests at a time ask for a host.
type Hosts interface {
	// TakeHost lets a holder read a host for at most a time. Otherwise it returns
	// how long, at the longest, another one reads it, or how long the pause after it lasts.
	TakeHost(ctx context.Context, host, holder string, most time.Duration) (wait time.Duration, err error)
	// LeaveHost says that a holder has read a host, which nobody reads during the pause.
	LeaveHost(ctx context.Context, host, holder string, pause time.Duration) error
}

const (
	// askAgain is how often a process that waits for another one asks, at the most.
	askAgain = 250 * time.Millisecond
	// leaveWithin bounds how long it takes to say that a host was read.
	leaveWithin = 5 * time.Second
)

// Shared are the hosts of all processes. The zero value is for a process alone.
type Shared struct {
	hosts Hosts
	// holder names this process, and most is how long a request takes at most.
	holder string
	most   time.Duration
}

// Share returns the hosts that a process shares with others, of which a request takes at
// most a time. Nil hosts are for a process alone.
func Share(hosts Hosts, most time.Duration) Shared {
	return Shared{hosts: hosts, holder: rand.Text(), most: most}
}

// Take waits until no other process reads a host and it has rested. It fails with the
// error of ctx, or as Unavailable.
func (s Shared) Take(ctx context.Context, host string) error {
	if s.hosts == nil {
		return nil
	}
	for {
		wait, err := s.hosts.TakeHost(ctx, host, s.holder, s.most)
		if err != nil && ctx.Err() == nil {
			return fault.Wrap(fault.Unavailable, err, "Parley cannot tell right now whether another of its servers reads this site. It will try the page again later.")
		}
		if err == nil && wait <= 0 {
			return nil
		}
		select {
		case <-time.After(min(wait, askAgain)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Leave lets other processes read a host after a pause. If they cannot be told, they
// wait until a request would have ended.
func (s Shared) Leave(ctx context.Context, host string, pause time.Duration) {
	if s.hosts == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveWithin)
	defer cancel()
	_ = s.hosts.LeaveHost(ctx, host, s.holder, pause)
}
