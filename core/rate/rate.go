// Package rate limits how many requests a minute the server admits. [Requests] limits
// requests with API tokens, by the workspace's plan. [Pace] limits requests from people
// and from callers who are not signed in. [Slots] limits how many answers are in progress
// at once.
//
// It does not own what a plan includes (package plan), or which route has which
// class (packages api and web).
package rate

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"parley/core/fault"
	"parley/core/plan"
)

// Class is the class of a request by a person or a stranger.
type Class int

const (
	// Ordinary is a request that reads or changes a few rows.
	Ordinary Class = iota
	// Costly is a request that makes the server work for long or call others: an
	// upload, an evaluation, a crawl, a check of a provider, a mail.
	Costly
)

type classKey struct{}

// With returns a context in which requests have a class.
func With(ctx context.Context, class Class) context.Context {
	return context.WithValue(ctx, classKey{}, class)
}

// ClassOf returns the class of a request, which is Ordinary unless [With] set
// another.
func ClassOf(ctx context.Context) Class {
	class, _ := ctx.Value(classKey{}).(Class)
	return class
}

// Limits are how many requests a minute are admitted, by class.
type Limits struct {
	Person, Workspace [2]int
	// Stranger applies to one network.
	Stranger [1]int
}

// defaultLimits are generous: a person on a fast connection uses a fifth.
var defaultLimits = Limits{
	Person:    [2]int{Ordinary: 600, Costly: 60},
	Workspace: [2]int{Ordinary: 3_000, Costly: 120},
	Stranger:  [1]int{Ordinary: 600},
}

const (
	// paceKept is how long a request counts.
	paceKept = time.Minute + time.Second
	// paceMax is how many counts of people, workspaces and networks are kept. If
	// there are more within a minute, the least recent ones start again.
	paceMax = 100_000
)

// Pace limits the requests of people, by their sessions, and of strangers. Each
// process counts on its own.
type Pace struct {
	// Limits may be changed before the first request.
	Limits Limits

	now func() time.Time

	mu     sync.Mutex
	counts *simplelru.LRU[paceKey, *paced] // the one asked longest ago is the oldest
}

type paceKey struct {
	who   string
	id    string
	class Class
}

type paced struct {
	minute plan.Minute
	asked  time.Time
}

// NewPace returns a pace. The clock should be monotonic.
func NewPace(now func() time.Time) *Pace {
	counts, _ := simplelru.NewLRU[paceKey, *paced](paceMax, nil) // fails below one
	return &Pace{Limits: defaultLimits, now: now, counts: counts}
}

// Person counts a request of a signed-in person. It is RateLimited if there were too
// many in the last minute. A nil Pace admits everything, here and in the methods
// below.
func (p *Pace) Person(ctx context.Context, userID string) error {
	if p == nil {
		return nil
	}
	return p.count("person", userID, ClassOf(ctx), p.Limits.Person[:])
}

// Workspace counts a signed-in person's request against the workspace that it is
// about.
func (p *Pace) Workspace(ctx context.Context, workspaceID string) error {
	if p == nil {
		return nil
	}
	return p.count("workspace", workspaceID, ClassOf(ctx), p.Limits.Workspace[:])
}

// Stranger counts a request of somebody who is not signed in, by the network that it
// comes from.
func (p *Pace) Stranger(network string) error {
	if p == nil {
		return nil
	}
	return p.count("stranger", network, Ordinary, p.Limits.Stranger[:])
}

// count counts a request in its own class and the lower ones: a costly request is
// also an ordinary one.
func (p *Pace) count(who, id string, class Class, limits []int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	p.forget(now)
	for c := class; c >= Ordinary; c-- {
		of, known := p.counts.Get(paceKey{who, id, c})
		if !known {
			of = &paced{}
			p.counts.Add(paceKey{who, id, c}, of)
		}
		of.asked = now
		if _, wait := of.minute.Take(now, 1, limits[c], 0); wait > 0 {
			return tooMany(wait)
		}
	}
	return nil
}

// forget drops the counts that no longer matter.
func (p *Pace) forget(now time.Time) {
	for {
		_, oldest, any := p.counts.GetOldest()
		if !any || now.Sub(oldest.asked) < paceKept {
			return
		}
		p.counts.RemoveOldest()
	}
}

func tooMany(wait time.Duration) error {
	wait = time.Duration(math.Ceil(wait.Seconds())) * time.Second
	limited := fault.New(fault.RateLimited, "Too many requests in the last minute. Wait %d s and try again.", wait/time.Second)
	limited.RetryAfter = wait
	return limited
}
