package tenant

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"parley/core/fault"
	"parley/internal/netgroup"
)

const (
	// queueBySlot is how many may wait for each password that is hashed at a
	// time. A hash takes about 40 ms of a processor, so that the last one waits
	// for little more than a second.
	queueBySlot = 32
	// queueShare is the part of the queue that one client can fill, and queueSite
	// the part of the /48 around it.
	queueShare = 4
	queueSite  = 2
	// queuePatience bounds the wait of a request that was taken into the queue.
	queuePatience = 2 * time.Second
	// queueRetry is when a request that was turned away should come again.
	queueRetry = 5 * time.Second
)

// queue admits a bounded number at a time, the first to come first. One client
// cannot fill it.
type queue struct {
	slots    chan struct{}
	most     int
	patience time.Duration

	mu     sync.Mutex
	places int // of those that wait or run
	taken  map[netip.Prefix]int
}

func newQueue(slots int) *queue {
	return &queue{
		slots: make(chan struct{}, slots), most: slots * queueBySlot, patience: queuePatience,
		taken: map[netip.Prefix]int{},
	}
}

// acquire waits for a slot, which the caller releases. It is Unavailable when
// the queue is full, when the client has its share of it, and when the wait
// takes too long. The zero address, which is the operator's, waits as long as
// it takes.
func (q *queue) acquire(ctx context.Context, client netip.Addr) (release func(), err error) {
	if !client.IsValid() {
		return q.wait(ctx, func() {})
	}
	if !q.enter(client) {
		return nil, busy(nil)
	}
	ctx, cancel := context.WithTimeout(ctx, q.patience)
	defer cancel()
	return q.wait(ctx, func() { q.leave(client) })
}

func (q *queue) wait(ctx context.Context, leave func()) (release func(), err error) {
	select {
	case q.slots <- struct{}{}:
		return func() { <-q.slots; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, busy(ctx.Err())
	}
}

// enter takes a place in the queue, if there is one for the client.
func (q *queue) enter(address netip.Addr) bool {
	client, site := netgroup.Of(address), netgroup.Site(address)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.places >= q.most || q.taken[client] >= q.most/queueShare || q.taken[site] >= q.most/queueSite {
		return false
	}
	q.places++
	q.taken[client]++
	if site != client {
		q.taken[site]++
	}
	return true
}

func (q *queue) leave(address netip.Addr) {
	client, site := netgroup.Of(address), netgroup.Site(address)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.places--
	q.give(client)
	if site != client {
		q.give(site)
	}
}

func (q *queue) give(network netip.Prefix) {
	q.taken[network]--
	if q.taken[network] == 0 {
		delete(q.taken, network)
	}
}

func busy(cause error) error {
	return &fault.Error{
		Kind: fault.Unavailable, RetryAfter: queueRetry, Cause: cause,
		Message: "Too many people are signing in just now. Try again in a few seconds.",
	}
}
